/** The display names of recorded operations for the activity list and the audit log. */

const names: Readonly<Record<string, string>> = {
  'account.create': 'Created account',
  'account.open': 'Opened account',
  'account.resume': 'Resumed account',
  'account.starting-credit': 'Granted starting credit',
  'account.suspend': 'Suspended account',
  'account.take-over': 'Took over local account',
  'account.unrestrict': 'Lifted account restriction',
  'billing.update': 'Updated billing settings',
  'code.create': 'Created credit code',
  'code.redeem': 'Redeemed credit code',
  'code.revoke': 'Revoked credit code',
  credit: 'Added credit',
  'key.create': 'Created API key',
  'key.revoke': 'Revoked API key',
  'key.rotate': 'Rotated API key',
  'key.update': 'Updated API key',
  'management-key.create': 'Created management key',
  'management-key.revoke': 'Revoked management key',
  'markup.set': 'Set markup',
  'me.delete': 'Deleted user',
  'method.forget': 'Removed payment method',
  'models.add': 'Added model',
  'models.disable': 'Disabled model',
  'models.enable': 'Enabled model',
  'models.offer': 'Offered model at upstream',
  'models.price': 'Set model price',
  'models.upstreams': 'Set upstreams of model',
  'people.confirm': 'Approved user',
  'people.invite': 'Invited user',
  'people.operator': 'Changed administrator rights',
  'people.reset-link': 'Created password reset link',
  'request.stop': 'Stopped request',
  'setup.claim': 'Set up server',
  'setup.link': 'Created setup link',
  'top-up.create': 'Started top-up',
  'upstreams.check': 'Tested upstream',
  'upstreams.put': 'Saved upstream',
  'upstreams.remove': 'Removed upstream',
  'upstreams.test': 'Tested upstream',
}

/** The words for an operation; the name in the API where there are none. */
export function changeName(operation: string): string {
  return names[operation] ?? operation
}
