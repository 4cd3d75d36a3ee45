/** All recipes, in the order in which they are offered. */
import { agentRecipes } from './agent-recipes-table.ts'
import { curlRecipe } from './curl-recipe.ts'
import { frameworkRecipes } from './framework-recipes-table.ts'
import { libraryRecipes } from './library-recipes-table.ts'
import type { Recipe } from './recipe.ts'
import { sdkRecipes } from './sdk-recipes-table.ts'
import { terminalRecipes } from './terminal-recipes-table.ts'

export type { Facts, Language, Recipe, RecipeModel, Snippet, Step } from './recipe.ts'

export const recipes: readonly Recipe[] = [
  curlRecipe,
  ...agentRecipes,
  ...terminalRecipes,
  ...libraryRecipes,
  ...sdkRecipes,
  ...frameworkRecipes,
]

export function recipeOf(id: string | undefined): Recipe | undefined {
  return recipes.find((recipe) => recipe.id === id)
}
