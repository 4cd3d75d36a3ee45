/** A receipt's upstream cost is computed by what its offer costs, which a price version does not know. */
import type { Migration } from './migration.ts'

export const offerCostColumn = 'ALTER TABLE receipt ADD COLUMN offer_cost TEXT'

export const offerCost: Migration = { number: 8, name: 'offer cost', statements: [offerCostColumn] }
