/**
 * Checks that top-ups, refunds, disputes, codes and starting credits agree with the entries that moved their money: each row of these
 * queries is a contradiction. Only reads.
 */
import { type Check, check } from './check.ts'

const paidStates = "('paid', 'refunded', 'partly_refunded', 'disputed')"

export const paymentChecks: readonly Check[] = [
  check(
    { id: 't.id', state: 't.state', amount: 't.amount', moved: 'coalesce(e.amount, 0)' },
    `FROM top_up t
      LEFT JOIN entry e ON e.source = 'payment' AND e.reference = t.payment_intent AND e.account = t.account
      WHERE CASE WHEN t.state IN ${paidStates} THEN t.amount ELSE 0 END <> coalesce(e.amount, 0)`,
    ({ id, state, amount, moved }) => `top-up ${id}: is ${state} with ${amount}, its entry credited ${moved}`,
  ),
  check(
    { id: 'e.id', reference: 'e.reference' },
    `FROM entry e
      LEFT JOIN top_up t ON t.payment_intent = e.reference AND t.account = e.account
      WHERE e.source = 'payment' AND (t.id IS NULL OR e.kind <> 'credit' OR e.counter <> 'clearing')`,
    ({ id, reference }) => `entry ${id}: payment ${reference} belongs to no top-up of its account`,
  ),
  check(
    {
      id: 't.id',
      refunded: 't.refunded',
      disputed: 't.disputed',
      refunds: 'coalesce(r.refunded, 0)',
      disputes: 'coalesce(r.disputed, 0)',
    },
    `FROM top_up t
      LEFT JOIN (SELECT top_up, sum(CASE source WHEN 'refund' THEN amount ELSE 0 END) AS refunded,
          sum(CASE source WHEN 'dispute' THEN amount ELSE 0 END) AS disputed
        FROM top_up_return WHERE restored_entry IS NULL GROUP BY top_up) r ON r.top_up = t.id
      WHERE t.refunded <> coalesce(r.refunded, 0) OR t.disputed <> min(t.amount, coalesce(r.disputed, 0))`,
    ({ id, refunded, disputed, refunds, disputes }) =>
      `top-up ${id}: ${refunded} refunded and ${disputed} disputed, its returns sum to ${refunds} and ${disputes}`,
  ),
  check(
    { id: 't.id', state: 't.state', refunded: 't.refunded', disputed: 't.disputed' },
    `FROM top_up t WHERE t.state IN ${paidStates} AND t.state <>
      CASE WHEN t.disputed > 0 THEN 'disputed' WHEN t.refunded = 0 THEN 'paid'
        WHEN t.refunded = t.amount THEN 'refunded' ELSE 'partly_refunded' END`,
    ({ id, state, refunded, disputed }) =>
      `top-up ${id}: is ${state} with ${refunded} refunded and ${disputed} disputed`,
  ),
  check(
    { source: 'r.source', reference: 'r.reference', amount: 'r.amount', moved: 'coalesce(-e.amount, 0)' },
    `FROM top_up_return r
      JOIN top_up t ON t.id = r.top_up
      LEFT JOIN entry e ON e.id = r.entry AND e.kind = 'refund' AND e.account = t.account
        AND e.source = r.source AND e.reference = r.reference
      WHERE r.amount <> coalesce(-e.amount, 0)`,
    ({ source, reference, amount, moved }) =>
      `${source} ${reference}: is of ${amount}, its entry took ${moved}`,
  ),
  check(
    { source: 'r.source', reference: 'r.reference', amount: 'r.amount', moved: 'coalesce(e.amount, 0)' },
    `FROM top_up_return r
      JOIN top_up t ON t.id = r.top_up
      LEFT JOIN entry e ON e.id = r.restored_entry AND e.kind = 'credit' AND e.account = t.account
        AND e.source = r.source AND e.reference = r.reference || ' returned'
      WHERE r.restored_entry IS NOT NULL AND r.amount <> coalesce(e.amount, 0)`,
    ({ source, reference, amount, moved }) =>
      `${source} ${reference}: ${amount} was given back, its entry gave ${moved}`,
  ),
  check(
    { id: 'e.id', source: 'e.source', reference: 'e.reference' },
    `FROM entry e
      WHERE (e.kind = 'refund' OR e.source IN ('refund', 'dispute'))
        AND NOT EXISTS (SELECT 1 FROM top_up_return r WHERE r.entry = e.id OR r.restored_entry = e.id)`,
    ({ id, source, reference }) => `entry ${id}: ${source} ${reference} belongs to no top-up`,
  ),
  check(
    {
      account: 'coalesce(e.account, s.account)',
      given: 'coalesce(e.total, 0)',
      forAddresses: 'coalesce(s.total, 0)',
    },
    `FROM (SELECT account, sum(amount) AS total FROM entry
        WHERE source = 'signup' AND reference LIKE 'person:%' GROUP BY account) e
      FULL JOIN (SELECT account, sum(amount) AS total FROM signup_credit GROUP BY account) s ON s.account = e.account
      WHERE coalesce(e.total, 0) <> coalesce(s.total, 0)`,
    ({ account, given, forAddresses }) =>
      `account ${account}: was given ${given} to start with, ${forAddresses} of it for an address`,
  ),
  check(
    { id: 'c.id', uses: 'c.uses', counted: 'count(u.account)' },
    `FROM redeem_code c LEFT JOIN code_use u ON u.code = c.id
      GROUP BY c.id HAVING c.uses <> count(u.account) OR c.uses > c.uses_max`,
    ({ id, uses, counted }) => `code ${id}: was used ${uses} times, its uses are ${counted}`,
  ),
  check(
    { code: 'u.code', account: 'u.account', amount: 'c.amount', moved: 'coalesce(e.amount, 0)' },
    `FROM code_use u JOIN redeem_code c ON c.id = u.code
      LEFT JOIN entry e ON e.id = u.entry AND e.source = 'code' AND e.kind = 'credit' AND e.account = u.account
      WHERE c.amount <> coalesce(e.amount, 0)`,
    ({ code, account, amount, moved }) =>
      `code ${code}: gives account ${account} ${amount}, its entry gave ${moved}`,
  ),
  check(
    { id: 'e.id', reference: 'e.reference' },
    `FROM entry e
      WHERE e.source = 'code' AND NOT EXISTS (SELECT 1 FROM code_use u WHERE u.entry = e.id)`,
    ({ id, reference }) => `entry ${id}: no account used the code ${reference}`,
  ),
  check(
    { account: 'b.account' },
    `FROM billing_setting b
      WHERE b.frozen IS NOT NULL AND NOT EXISTS (SELECT 1 FROM top_up t WHERE t.account = b.account AND t.disputed > 0)`,
    ({ account }) => `account ${account}: is suspended for a dispute, but no payment is disputed`,
  ),
]
