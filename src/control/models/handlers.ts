/** The handlers of this folder by the names of their operations. */

import { addModel } from './add.ts'
import { disableModel } from './disable.ts'
import { enableModel } from './enable.ts'
import { listModels } from './list.ts'
import { offerModel } from './offer.ts'
import { checkOffers, setOffers, showOffers } from './offer-list.ts'
import { priceModel } from './price.ts'
import { listPrices } from './prices.ts'
import { setRouting } from './routing.ts'

export const modelHandlers = {
  'models.list': listModels,
  'models.add': addModel,
  'models.price': priceModel,
  'models.prices': listPrices,
  'models.routing': setRouting,
  'models.offer': offerModel,
  'offers.show': showOffers,
  'offers.check': checkOffers,
  'offers.set': setOffers,
  'models.disable': disableModel,
  'models.enable': enableModel,
} as const
