/** Accounts without their own warning are warned in the console when the balance lasts fewer days. */
export const lowBalanceDays = 3
