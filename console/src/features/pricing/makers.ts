/** Models grouped by vendor, for every place where a model is chosen. Pure. */
import { providerName } from '../admin/providers.ts'

/** Makers as hosts write them before the slash of a model's name. */
const makersOfPrefix: Readonly<Record<string, string>> = {
  ai21: 'AI21',
  amazon: 'Amazon',
  baidu: 'Baidu',
  bytedance: 'ByteDance',
  cohere: 'Cohere',
  coherelabs: 'Cohere',
  deepseek: 'DeepSeek',
  'deepseek-ai': 'DeepSeek',
  'ibm-granite': 'IBM',
  liquid: 'Liquid AI',
  meta: 'Meta',
  'meta-llama': 'Meta',
  microsoft: 'Microsoft',
  minimax: 'MiniMax',
  minimaxai: 'MiniMax',
  mistral: 'Mistral',
  mistralai: 'Mistral',
  moonshotai: 'Moonshot AI',
  nousresearch: 'Nous Research',
  nvidia: 'NVIDIA',
  qwen: 'Qwen',
  tencent: 'Tencent',
  'x-ai': 'xAI',
  xiaomi: 'Xiaomi',
  'z-ai': 'Z.AI',
  'zai-org': 'Z.AI',
}

interface Made {
  readonly model: string
  readonly provider: string
}

const testModels = 'Test models'

/** By the name of the model where it says so, otherwise its provider. */
export function makerOf({ model, provider }: Made): string {
  if (provider === 'sandbox') return testModels
  const prefix = /^([^/]+)\//.exec(model)?.[1]?.toLowerCase()
  return (prefix === undefined ? undefined : makersOfPrefix[prefix]) ?? providerName(prefix ?? provider)
}

/** In list order within a maker; makers by name, test models last. */
export function byMaker<Model extends Made>(
  models: readonly Model[],
): readonly (readonly [maker: string, models: readonly Model[]])[] {
  return [...Map.groupBy(models, makerOf)].toSorted(
    ([one], [other]) => Number(one === testModels) - Number(other === testModels) || one.localeCompare(other),
  )
}
