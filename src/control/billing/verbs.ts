/** The verbs of this folder by the names of their operations. */

export const billingVerbs = {} as const
