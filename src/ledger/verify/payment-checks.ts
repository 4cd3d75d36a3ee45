/**
 * What must be true between top-ups, refunds, disputes, codes, starting credits and the entries that moved their money:
 * a table of queries whose every row is a contradiction. Only reads.
 */
import type { Check } from './verify.ts'

const paidStates = "('paid', 'refunded', 'partly_refunded', 'disputed')"

export const paymentChecks: readonly Check[] = [
  {
    sql: `SELECT t.id, t.state, t.amount, coalesce(e.amount, 0) FROM top_up t
      LEFT JOIN entry e ON e.source = 'payment' AND e.reference = t.payment_intent AND e.account = t.account
      WHERE CASE WHEN t.state IN ${paidStates} THEN t.amount ELSE 0 END <> coalesce(e.amount, 0)`,
    tell: ([id, state, amount, moved]) =>
      `top-up ${id}: is ${state} with ${amount}, its entry credited ${moved}`,
  },
  {
    sql: `SELECT e.id, e.reference FROM entry e
      LEFT JOIN top_up t ON t.payment_intent = e.reference AND t.account = e.account
      WHERE e.source = 'payment' AND (t.id IS NULL OR e.kind <> 'credit' OR e.counter <> 'clearing')`,
    tell: ([id, reference]) => `entry ${id}: payment ${reference} is of no top-up of its account`,
  },
  {
    sql: `SELECT t.id, t.refunded, t.disputed, coalesce(r.refunded, 0), coalesce(r.disputed, 0) FROM top_up t
      LEFT JOIN (SELECT top_up, sum(CASE source WHEN 'refund' THEN amount ELSE 0 END) AS refunded,
          sum(CASE source WHEN 'dispute' THEN amount ELSE 0 END) AS disputed
        FROM top_up_return WHERE restored_entry IS NULL GROUP BY top_up) r ON r.top_up = t.id
      WHERE t.refunded <> coalesce(r.refunded, 0) OR t.disputed <> min(t.amount, coalesce(r.disputed, 0))`,
    tell: ([id, refunded, disputed, refunds, disputes]) =>
      `top-up ${id}: ${refunded} refunded and ${disputed} disputed, its returns sum to ${refunds} and ${disputes}`,
  },
  {
    sql: `SELECT t.id, t.state, t.refunded, t.disputed FROM top_up t WHERE t.state IN ${paidStates} AND t.state <>
      CASE WHEN t.disputed > 0 THEN 'disputed' WHEN t.refunded = 0 THEN 'paid'
        WHEN t.refunded = t.amount THEN 'refunded' ELSE 'partly_refunded' END`,
    tell: ([id, state, refunded, disputed]) =>
      `top-up ${id}: is ${state} with ${refunded} refunded and ${disputed} disputed`,
  },
  {
    sql: `SELECT r.source, r.reference, r.amount, coalesce(-e.amount, 0) FROM top_up_return r
      JOIN top_up t ON t.id = r.top_up
      LEFT JOIN entry e ON e.id = r.entry AND e.kind = 'refund' AND e.account = t.account
        AND e.source = r.source AND e.reference = r.reference
      WHERE r.amount <> coalesce(-e.amount, 0)`,
    tell: ([source, reference, amount, moved]) =>
      `${source} ${reference}: is of ${amount}, its entry took ${moved}`,
  },
  {
    sql: `SELECT r.source, r.reference, r.amount, coalesce(e.amount, 0) FROM top_up_return r
      JOIN top_up t ON t.id = r.top_up
      LEFT JOIN entry e ON e.id = r.restored_entry AND e.kind = 'credit' AND e.account = t.account
        AND e.source = r.source AND e.reference = r.reference || ' returned'
      WHERE r.restored_entry IS NOT NULL AND r.amount <> coalesce(e.amount, 0)`,
    tell: ([source, reference, amount, moved]) =>
      `${source} ${reference}: ${amount} was given back, its entry gave ${moved}`,
  },
  {
    sql: `SELECT e.id, e.source, e.reference FROM entry e
      WHERE (e.kind = 'refund' OR e.source IN ('refund', 'dispute'))
        AND NOT EXISTS (SELECT 1 FROM top_up_return r WHERE r.entry = e.id OR r.restored_entry = e.id)`,
    tell: ([id, source, reference]) => `entry ${id}: ${source} ${reference} is of no top-up`,
  },
  {
    sql: `SELECT coalesce(e.account, s.account) AS id, coalesce(e.total, 0), coalesce(s.total, 0)
      FROM (SELECT account, sum(amount) AS total FROM entry
        WHERE source = 'signup' AND reference LIKE 'person:%' GROUP BY account) e
      FULL JOIN (SELECT account, sum(amount) AS total FROM signup_credit GROUP BY account) s ON s.account = e.account
      WHERE coalesce(e.total, 0) <> coalesce(s.total, 0)`,
    tell: ([account, given, forAddresses]) =>
      `account ${account}: was given ${given} to start with, ${forAddresses} of it for an address`,
  },
  {
    sql: `SELECT c.id, c.uses, count(u.account) FROM redeem_code c LEFT JOIN code_use u ON u.code = c.id
      GROUP BY c.id HAVING c.uses <> count(u.account) OR c.uses > c.uses_max`,
    tell: ([id, uses, counted]) => `code ${id}: was used ${uses} times, its uses are ${counted}`,
  },
  {
    sql: `SELECT u.code, u.account, c.amount, coalesce(e.amount, 0) FROM code_use u JOIN redeem_code c ON c.id = u.code
      LEFT JOIN entry e ON e.id = u.entry AND e.source = 'code' AND e.kind = 'credit' AND e.account = u.account
      WHERE c.amount <> coalesce(e.amount, 0)`,
    tell: ([code, account, amount, moved]) =>
      `code ${code}: gives account ${account} ${amount}, its entry gave ${moved}`,
  },
  {
    sql: `SELECT e.id, e.reference FROM entry e
      WHERE e.source = 'code' AND NOT EXISTS (SELECT 1 FROM code_use u WHERE u.entry = e.id)`,
    tell: ([id, reference]) => `entry ${id}: nobody used the code ${reference}`,
  },
  {
    sql: `SELECT b.account, b.frozen_ms FROM billing_setting b
      WHERE b.frozen IS NOT NULL AND NOT EXISTS (SELECT 1 FROM top_up t WHERE t.account = b.account AND t.disputed > 0)`,
    tell: ([account]) => `account ${account}: is frozen without a payment in dispute`,
  },
]
