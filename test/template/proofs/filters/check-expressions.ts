import type { ResourceType } from '#kernel'
import type { Row } from '#kernel/store'
import { Policy } from '#plugins/authorization/index.ts'
import type { Database } from '#store'
import { buildUrl, read } from '#test/conformance/leaks/leak-request.ts'
import { sendAll } from '#test/conformance/leaks/replies.ts'
import type { Decision, Denial } from '#test/conformance/leaks/row-denials.ts'
import { setTrashed } from '#test/conformance/leaks/rows.ts'
import { type LeakRun, startRun } from '#test/conformance/leaks/run.ts'
import { createRandomSource, type RandomSource } from '#test/conformance/random.ts'
import { fillRandomRows } from '#test/template/proofs/metamorphic/random-rows.ts'
import { metamorphicResources } from '#test/template/proofs/metamorphic/resources.ts'
import { makeFilterable, pluginsWithExpressions } from '#test/template/support/filterable.ts'
import { libraryDatabase } from '#test/template/support/library/index.ts'
import { type IsVisible, matches } from './evaluate.ts'
import { type Drawn, drawExpression, printExpression, type Samples } from './random-expression.ts'
import { readStoredRows, type StoredRows } from './stored-rows.ts'

/** A requester of the leak matrix, and the rows of one type that it may not see. */
export interface Requester {
  readonly title: string
  readonly decision: Decision
  readonly denial: Denial | null
  readonly isAll: boolean
  readonly principal: string | null
}

export const requesters: readonly Requester[] = [
  { title: 'denied nothing', decision: 'by-type', denial: null, isAll: false, principal: 'unrestricted' },
  { title: 'rows out of scope', decision: 'by-type', denial: 'scope', isAll: false, principal: 'restricted' },
  { title: 'a type denied by view', decision: 'by-type', denial: 'view', isAll: true, principal: null },
  { title: 'rows denied by view', decision: 'rows-by-view', denial: 'view', isAll: false, principal: 'restricted' },
  { title: 'deleted rows', decision: 'by-type', denial: 'trashed', isAll: false, principal: 'unrestricted' },
]

const expressionsPerRows = 50
const resources = makeFilterable(metamorphicResources)
class TrashPolicy extends Policy {
  restore = () => true
  forceDelete = () => true
}
const softResources = resources.map(({ file, resource }) => {
  const declaration = { ...resource.declaration, softDeletes: { property: 'removedAt' as never }, policy: TrashPolicy }
  return { file, resource: { ...resource, declaration } }
})

/** Returns the expressions whose responses differ from their evaluation in memory. */
export async function checkExpressions(requester: Requester, count: number, seed: number): Promise<string[]> {
  const { decision, denial } = requester
  const database = await libraryDatabase()
  const run = await startRun({
    resources: denial === 'trashed' ? softResources : resources,
    database,
    decision,
    plugins: pluginsWithExpressions,
    onWrite: () => {},
  })
  const findings: string[] = []
  try {
    for (let number = 0; number < count && findings.length < 10; number += expressionsPerRows) {
      const draw = createRandomSource(seed * 1_000_003 + number)
      await fillRandomRows(database, draw)
      findings.push(...(await checkRows(run, requester, Math.min(expressionsPerRows, count - number), draw, database)))
    }
  } finally {
    await run.close()
  }
  return findings
}

/** Checks expressions on the rows that are stored, with other denied rows for each call. */
async function checkRows(
  run: LeakRun,
  { denial, isAll, principal }: Requester,
  count: number,
  draw: RandomSource,
  database: Database,
): Promise<string[]> {
  const stored = await readStoredRows(database, [...texts, ...storedTexts])
  const denied = draw.pick(run.types)
  const hidden = stored.of(denied).filter(() => isAll || draw.chance(50))
  const keys = hidden.map(({ id }) => id)
  if (denial === 'trashed' && keys.length > 0) await setTrashed(run.app, denied, keys, true)
  if (denial && denial !== 'trashed' && keys.length > 0) run.denials.deny([denied], keys, denial)
  const isVisible: IsVisible = (type, row) => denial === null || type !== denied || !hidden.includes(row)
  const cases = Array.from({ length: count }, () => {
    const type = draw.pick(run.types)
    const drawn = drawExpression(type, createSamples(stored), draw)
    return { type, drawn, text: printExpression(drawn, draw) }
  })
  const [server] = run.app.servers as [LeakRun['app']['servers'][number]]
  const requests = cases.map(({ type, text }) =>
    read(`${buildUrl(server, type)}?page[number]=1&page[size]=50&filter[where]=${encodeURIComponent(text)}`),
  )
  const replies = await sendAll(run.url, requests, principal)
  run.denials.deny([], [])
  return cases.flatMap(({ type, drawn, text }, index) => {
    const { status, text: body } = replies[index] as (typeof replies)[number]
    const expected = expectedIds(type, drawn, stored, isVisible)
    const found = status === 200 ? readIds(body) : `${status} ${body.slice(0, 500)}`
    return String(found) === String(expected) ? [] : [`${type.name}: ${text} returns ${found}; in memory ${expected}`]
  })
}

function expectedIds(type: ResourceType, drawn: Drawn, stored: StoredRows, isVisible: IsVisible): string[] {
  const rows = stored.of(type).filter((row) => isVisible(type, row) && matches(drawn, row, stored, isVisible))
  return rows.map(({ id }) => String(id)).sort()
}

function readIds(body: string): string[] {
  const { data }: { data: Row[] } = JSON.parse(body)
  return data.map(({ id }) => String(id)).sort()
}

const texts = [
  'Emma',
  'emma',
  'Ärger',
  'a,b',
  '100 %',
  "it's",
  'Zoë 🎵',
  ' ',
  'Sanditon',
  'Persuasion',
  'tag 1',
  'label 2',
  'm',
  '%',
  '_',
  '',
]
const numbers = [-1, 0, 0.5, 1, 2, 3, 7, 7.25, 99.99]
const moments = [
  '1815-12-23T00:00:00Z',
  '1815-12-23T00:00:00.000001Z',
  '2024-02-29T23:59:59.999999Z',
  '2000-01-01T00:00:00Z',
]

const storedTexts = [1, 2, 3, 4, 5].flatMap((number) => [`label ${number}`, `tag ${number}`])

/** Returns values that some rows have, and some that no row has. */
function createSamples(stored: StoredRows): Samples {
  return (type, attribute) => {
    if (!attribute) return stored.of(type).length > 0 ? stored.of(type).map(({ id }) => String(id)) : [unusedId(type)]
    if (attribute.kind === 'integer') return numbers.filter(Number.isInteger)
    if (attribute.kind === 'decimal') return numbers
    return attribute.kind === 'dateTime' ? moments : texts
  }
}

function unusedId({ name }: ResourceType): string {
  return name === 'tags' ? '00000000-0000-4000-8000-000000000099' : '999'
}
