/** Chooses a model as a person does: opens the chooser, types a part of the name, takes the option. */
import type { Page } from './browser.ts'

export const modelChooser = (page: Page) => page.getByRole('combobox', { name: 'Model', exact: true })

export async function chooseModel(page: Page, name: string): Promise<void> {
  await modelChooser(page).click()
  const list = page.getByRole('dialog', { name: 'Search models' })
  await list.getByRole('combobox').fill(name)
  await list.getByText(name, { exact: true }).click()
  await list.waitFor({ state: 'detached' })
}
