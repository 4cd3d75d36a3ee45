/** Accounts that chose no warning of their own are warned in the console when the balance lasts fewer days. */
export const lowBalanceDays = 3
