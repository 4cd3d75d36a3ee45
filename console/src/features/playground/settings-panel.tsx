/** The settings of the next request: model, system prompt, limits, tools. Shows only what the model supports. */

import type { JSX } from 'react'
import { Button } from '@/components/button'
import { Field } from '@/components/field'
import { Plus, Trash2 } from '@/components/icons'
import { Input } from '@/components/input'
import { Select } from '@/components/select'
import { Textarea } from '@/components/textarea'
import { count } from '@/lib/format'
import { exactUsd } from '@/lib/usd'
import { ModelSelect } from '../connect/model-select.tsx'
import type { PricedModel } from '../pricing/price-list.ts'
import { type Settings, type ToolDraft, toolMistake } from './conversation.ts'
import { newId } from './use-conversation.ts'

export interface SettingsPanelProps {
  readonly models: readonly PricedModel[]
  readonly model: PricedModel
  readonly onModel: (name: string) => void
  readonly settings: Settings
  readonly onChange: (changes: Partial<Settings>) => void
}

export function SettingsPanel({
  models,
  model,
  onModel,
  settings,
  onChange,
}: SettingsPanelProps): JSX.Element {
  return (
    <div className="flex flex-col gap-5">
      <Field
        label="Model"
        hint={`${exactUsd(model.price.input)} in, ${exactUsd(model.price.output)} out per million tokens`}
      >
        <ModelSelect models={models} value={model.model} onChange={onModel} />
      </Field>
      <Field label="System prompt" optional>
        <Textarea
          value={settings.system}
          placeholder="You are a helpful assistant."
          onChange={(event) => onChange({ system: event.target.value })}
        />
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Temperature" {...mistake(temperatureMistake(settings.temperature))}>
          <Input
            inputMode="decimal"
            placeholder="Default"
            value={settings.temperature}
            onChange={(event) => onChange({ temperature: event.target.value })}
          />
        </Field>
        <Field label="Output limit" {...mistake(limitMistake(settings.outputLimit, model))}>
          <Input
            inputMode="numeric"
            placeholder={count(model.outputTokensMax)}
            value={settings.outputLimit}
            onChange={(event) => onChange({ outputLimit: event.target.value })}
          />
        </Field>
      </div>
      {model.reasons ? (
        <Field label="Reasoning" hint="How much the model thinks before it answers.">
          <Select
            value={settings.effort}
            onChange={(event) => onChange({ effort: event.target.value as Settings['effort'] })}
          >
            <option value="">Model default</option>
            <option value="minimal">Minimal</option>
            <option value="low">Low</option>
            <option value="medium">Medium</option>
            <option value="high">High</option>
          </Select>
        </Field>
      ) : null}
      {model.takesTools ? <Tools settings={settings} onChange={onChange} /> : null}
    </div>
  )
}

function mistake(text: string | undefined): { error?: string } {
  return text === undefined ? {} : { error: text }
}

/** Error in a temperature; undefined: none. */
function temperatureMistake(text: string): string | undefined {
  const value = Number(text)
  return text.trim() === '' || (value >= 0 && value <= 2) ? undefined : 'From 0 to 2.'
}

function limitMistake(text: string, { outputTokensMax }: PricedModel): string | undefined {
  if (text.trim() === '') return undefined
  const isGood = /^\d{1,9}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= outputTokensMax
  return isGood ? undefined : `From 1 to ${count(outputTokensMax)}.`
}

/** Whether the settings can be sent as they are. */
export function isSound(settings: Settings, model: PricedModel): boolean {
  return (
    temperatureMistake(settings.temperature) === undefined &&
    limitMistake(settings.outputLimit, model) === undefined &&
    (!model.takesTools || settings.tools.every((tool) => toolMistake(tool) === undefined))
  )
}

const exampleParameters = `{
  "type": "object",
  "properties": {
    "city": { "type": "string" }
  },
  "required": ["city"]
}`

function Tools({
  settings: { tools },
  onChange,
}: Pick<SettingsPanelProps, 'settings' | 'onChange'>): JSX.Element {
  const set = (changed: ToolDraft): void =>
    onChange({ tools: tools.map((tool) => (tool.id === changed.id ? changed : tool)) })
  const add = (): void => {
    const name = tools.length === 0 ? 'get_weather' : `tool_${tools.length + 1}`
    onChange({ tools: [...tools, { id: newId(), name, description: '', parameters: exampleParameters }] })
  }
  return (
    <section aria-label="Tools" className="flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex items-center justify-between">
        <h3 className="font-medium">Tools</h3>
        <Button size="small" onClick={add}>
          <Plus aria-hidden="true" />
          Add function
        </Button>
      </div>
      {tools.length === 0 ? (
        <p className="text-sm text-ink-soft">
          Describe a function the model can call. You see each call and enter its result.
        </p>
      ) : null}
      {tools.map((tool) => (
        <Tool
          key={tool.id}
          tool={tool}
          onChange={set}
          onRemove={() => onChange({ tools: tools.filter(({ id }) => id !== tool.id) })}
        />
      ))}
    </section>
  )
}

function Tool({
  tool,
  onChange,
  onRemove,
}: {
  readonly tool: ToolDraft
  readonly onChange: (tool: ToolDraft) => void
  readonly onRemove: () => void
}): JSX.Element {
  const wrong = toolMistake(tool)
  const at = (field: 'name' | 'parameters') => mistake(wrong?.field === field ? wrong.text : undefined)
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <div className="flex items-start gap-2">
        <Field label="Name" className="min-w-0 flex-1" {...at('name')}>
          <Input
            value={tool.name}
            spellCheck={false}
            onChange={(event) => onChange({ ...tool, name: event.target.value })}
            className="font-mono text-[0.8125rem]"
          />
        </Field>
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Remove function ${tool.name}`}
          onClick={onRemove}
          className="mt-7"
        >
          <Trash2 aria-hidden="true" />
        </Button>
      </div>
      <Field label="Description" optional>
        <Input
          value={tool.description}
          onChange={(event) => onChange({ ...tool, description: event.target.value })}
        />
      </Field>
      <Field label="Parameters (JSON schema)" {...at('parameters')}>
        <Textarea
          rows={7}
          value={tool.parameters}
          spellCheck={false}
          onChange={(event) => onChange({ ...tool, parameters: event.target.value })}
          className="font-mono text-[0.8125rem]"
        />
      </Field>
    </div>
  )
}
