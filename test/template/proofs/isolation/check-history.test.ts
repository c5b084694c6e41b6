import { expect } from 'chai'
import { checkHistory } from './check-history.ts'
import { checkSessions } from './check-sessions.ts'
import { formatAnomaly } from './format-anomaly.ts'
import type { AnomalyKind, History, Operation, Transaction } from './history.ts'

// Histories written by hand: each contains one anomaly, or none.

const append = (list: number, element: number): Operation => ({ kind: 'append', list, element })
const read = (list: number, ...elements: number[]): Operation => ({ kind: 'read', list, elements })
const transaction =
  (outcome: Transaction['outcome']) =>
  (id: number, ...operations: Operation[]): Transaction => ({ id, session: id, outcome, operations })
const committed = transaction('committed')
const aborted = transaction('aborted')
const unknown = transaction('unknown')

const anomalous: readonly (readonly [AnomalyKind, string, History])[] = [
  [
    'G0',
    'two transactions append to two lists in opposite orders',
    [
      committed(1, append(1, 1), append(2, 1001)),
      committed(2, append(1, 2), append(2, 1002)),
      committed(3, read(1, 1, 2)),
      committed(4, read(2, 1002, 1001)),
    ],
  ],
  ['G1a', 'a read shows an element of an aborted transaction', [aborted(1, append(1, 1)), committed(2, read(1, 1))]],
  [
    'G1b',
    'a read shows the first of two appends of another transaction',
    [committed(1, append(1, 1), append(1, 2)), committed(2, read(1, 1)), committed(3, read(1, 1, 2))],
  ],
  [
    'G1c',
    'two transactions read the appends of each other',
    [
      committed(1, append(1, 1), read(2, 1001)),
      committed(2, append(2, 1001), read(1, 1)),
      committed(3, read(1, 1), read(2, 1001)),
    ],
  ],
  [
    'G-single',
    'a read shows one of two lists before a transaction and the other after it (read skew)',
    [
      committed(1, append(1, 1), append(2, 1001)),
      committed(2, read(1), read(2, 1001)),
      committed(3, read(1, 1), read(2, 1001)),
    ],
  ],
  [
    'G-single',
    'a transaction appends behind an element that its read does not show (lost update)',
    [committed(1, read(1), append(1, 1)), committed(2, read(1), append(1, 2)), committed(3, read(1, 1, 2))],
  ],
  [
    'G2-item',
    'two transactions read both lists and append to one each (write skew)',
    [
      committed(1, read(1), read(2), append(1, 1)),
      committed(2, read(1), read(2), append(2, 1001)),
      committed(3, read(1, 1), read(2, 1001)),
    ],
  ],
  [
    'G2-item',
    'two reads show two transactions in opposite orders (long fork)',
    [
      committed(1, append(1, 1)),
      committed(2, append(2, 1001)),
      committed(3, read(1, 1), read(2)),
      committed(4, read(1), read(2, 1001)),
      committed(5, read(1, 1), read(2, 1001)),
    ],
  ],
  [
    'G2-item',
    'a cycle leads through three lists',
    [
      committed(1, read(2), append(1, 1)),
      committed(2, read(3), append(2, 1001)),
      committed(3, read(1), append(3, 2001)),
      committed(4, read(1, 1), read(2, 1001), read(3, 2001)),
    ],
  ],
  [
    'invalid-read',
    'two reads show the elements in different orders',
    [
      committed(1, append(1, 1)),
      committed(2, append(1, 2)),
      committed(3, append(1, 3)),
      committed(4, read(1, 2, 1)),
      committed(5, read(1, 1, 2, 3)),
    ],
  ],
  ['invalid-read', 'a read shows an element twice', [committed(1, append(1, 1)), committed(2, read(1, 1, 1))]],
  ['invalid-read', 'a read shows an element that was never appended', [committed(1, read(1, 7))]],
  [
    'invalid-read',
    'a transaction does not read its own append',
    [committed(1, append(1, 1), read(1)), committed(2, read(1, 1))],
  ],
  [
    'lost-append',
    'the final read does not show a committed append',
    [committed(1, append(1, 1)), committed(2, append(1, 2)), committed(3, read(1, 2))],
  ],
]

const serializable: readonly (readonly [string, History])[] = [
  ['no transaction ran', []],
  [
    'transactions ran one after the other',
    [
      committed(1, append(1, 1), append(2, 1001), read(1, 1)),
      committed(2, read(1, 1), read(2, 1001), append(1, 2)),
      committed(3, append(1, 3), append(1, 4), read(1, 1, 2, 3, 4)),
      aborted(4, append(1, 5)),
      committed(5, read(1, 1, 2, 3, 4), read(2, 1001)),
    ],
  ],
  [
    'a transaction of unknown outcome took effect, and another one did not',
    [unknown(1, append(1, 1)), unknown(2, append(1, 2)), committed(3, read(1, 1))],
  ],
  [
    'a stale read shows an earlier state of all lists',
    [
      committed(1, append(1, 1), append(2, 1001)),
      committed(2, append(1, 2), append(2, 1002)),
      committed(3, read(1, 1), read(2, 1001)),
      committed(4, read(1, 1, 2), read(2, 1001, 1002)),
    ],
  ],
]

describe('Isolation checker', () => {
  for (const [kind, condition, history] of anomalous) {
    it(`reports ${kind} and no other anomaly when ${condition}`, () => {
      const anomalies = checkHistory(history)
      expect([...new Set(anomalies.map((anomaly) => anomaly.kind))]).to.deep.equal([kind])
    })
  }

  for (const [condition, history] of serializable) {
    it(`reports nothing when ${condition}`, () => {
      expect(checkHistory(history)).to.deep.equal([])
    })
  }

  it('reports the shortest cycle, with the operations on its lists', () => {
    const [anomaly] = checkHistory([
      committed(1, read(1), append(3, 1), append(1, 11)),
      committed(2, read(1), append(1, 12)),
      committed(3, append(1, 13)),
      committed(4, read(1, 12, 13, 11), read(3, 1)),
    ])
    expect(anomaly && formatAnomaly(anomaly)).to.equal(
      `G-single: Transaction 1 read list 1 without the append of 2 (rw). Transaction 3 appended to list 1 behind 2 (ww). Transaction 1 appended to list 1 behind 3 (ww).
  transaction 1 of client 1, committed: read list 1: []; append 11 to list 1
  transaction 2 of client 2, committed: read list 1: []; append 12 to list 1
  transaction 3 of client 3, committed: append 13 to list 1`,
    )
  })
})

describe('Checker of session guarantees', () => {
  const by = (session: number, { id, outcome, operations }: Transaction): Transaction => ({
    id,
    session,
    outcome,
    operations,
  })
  const guaranteesOf = (history: History) => checkSessions(history).map(({ guarantee }) => guarantee)

  it('reports read-your-writes when a client reads a list without its own append', () => {
    const history = [by(1, committed(1, append(1, 1))), by(1, committed(2, read(1))), by(2, committed(3, read(1, 1)))]
    expect(guaranteesOf(history)).to.deep.equal(['read-your-writes'])
  })

  it('reports monotonic-reads when a client reads an earlier state than before', () => {
    const history = [by(2, committed(1, append(1, 1))), by(1, committed(2, read(1, 1))), by(1, committed(3, read(1)))]
    expect(guaranteesOf(history)).to.deep.equal(['monotonic-reads'])
  })

  it('reports nothing when different clients read different states', () => {
    const history = [by(3, committed(1, append(1, 1))), by(1, committed(2, read(1, 1))), by(2, committed(3, read(1)))]
    expect(guaranteesOf(history)).to.deep.equal([])
  })
})
