import { expect } from 'chai'
import { createRandomSource, type RandomSource } from '#test/conformance/random.ts'
import type { TestApp } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { readIds } from '../support.ts'

// Walks cursor pages over 1,000 rows with ties, NULLs and times that differ by a microsecond, in random orders. The
// expected order is computed here, without the database.

const rowCount = 1000
const sizes = ['1', '2', '10', '-5', '9007199254740992', '9007199254740993', '9223372036854775807', null]

interface Row {
  readonly id: number
  readonly title: string
  readonly position: number
  readonly rating: string | null
  readonly size: string | null
  readonly printedAt: string | null
}

type Key = Exclude<keyof Row, 'id'>

interface Term {
  readonly key: Key
  readonly descending: boolean
}

const keys: readonly Key[] = ['title', 'position', 'rating', 'size', 'printedAt']
const firstKeys: readonly (Key | null)[] = [null, 'title', 'rating', 'size', 'printedAt']

describe('Cursor pages over 1,000 rows', () => {
  let library: TestApp

  before(async () => {
    library = await startLibrary()
  })

  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  for (const [round, first] of firstKeys.entries()) {
    const draw = createRandomSource(20_260_704 + round)
    const rows = Array.from({ length: rowCount }, (_, index) => randomRow(draw, 10 * (index + 1)))
    const terms = first ? randomTerms(draw, first) : []
    const sort = terms.map(({ key, descending }) => (descending ? `-${key}` : key)).join()
    const path = `/books?fields[books]=${sort && `&sort=${sort}`}`

    it(`CUR-02 visits each of ${rowCount} rows once by ${sort || 'id'}, forwards and backwards`, async () => {
      await insertOnly(rows)
      const expected = rows.toSorted((a, b) => compareBy(terms, a, b)).map(({ id }) => String(id))
      const { forwards, backwards } = await walkBothWays(library.client, path, draw)
      expect(forwards).to.deep.equal(expected)
      expect(backwards).to.deep.equal(expected)
    })

    it(`CUR-06 visits each remaining row once by ${sort || 'id'} while rows are inserted and deleted`, async () => {
      await insertOnly(rows)
      const all = new Map(rows.map((row) => [String(row.id), row]))
      const leaving = new Set(rows.filter(() => draw.chance(30)).map(({ id }) => String(id)))
      const staying = rows.filter(({ id }) => !leaving.has(String(id)))
      const { forwards, backwards } = await walkBothWays(library.client, path, draw, async (page) => {
        await insert(newcomers(draw, all))
        const edges = [page.at(0), page.at(-1)].filter((id) => id !== undefined)
        await remove([...drawSome(draw, leaving, 8), ...edges.filter((id) => leaving.has(id))])
      })
      const expected = staying.toSorted((a, b) => compareBy(terms, a, b)).map(({ id }) => String(id))
      const stays = new Set(expected)
      for (const visited of [forwards, backwards]) {
        expect(visited.filter((id) => stays.has(id))).to.deep.equal(expected)
        expect(visited).to.deep.equal(visited.toSorted((a, b) => compareBy(terms, at(all, a), at(all, b))))
        expect(new Set(visited).size).to.equal(visited.length)
      }
    })
  }
})

/** Follows `next` to the end and `prev` back to the start; the page size changes from page to page. */
async function walkBothWays(
  client: Client,
  path: string,
  draw: RandomSource,
  between: (page: readonly string[]) => Promise<void> = async () => {},
) {
  const forwards: string[][] = []
  let last: ClientResponse | null = null
  for (let link: string | undefined = path; link; link = last?.body.links.next) {
    const response: ClientResponse = await client.get(resized(link, draw))
    const page = readIds(response.body.data)
    if (page.length > 0) forwards.push(page)
    if (page.length > 0 || !last) last = response
    if (page.length === 0) break
    expect(forwards.length, 'pages').to.be.below(rowCount / 10)
    await between(page)
  }
  const backwards = [forwards.at(-1) ?? []]
  for (let link: string | undefined = last?.body.links.prev; link; ) {
    const { body }: ClientResponse = await client.get(resized(link, draw))
    backwards.unshift(readIds(body.data))
    expect(backwards.length, 'pages').to.be.below(rowCount / 10)
    link = body.links.prev
    await between(readIds(body.data))
  }
  return { forwards: forwards.flat(), backwards: backwards.flat() }
}

function resized(link: string, draw: RandomSource): string {
  const size = 60 + draw.below(41)
  return link.startsWith('/') ? `${link}&page[size]=${size}` : link.replace(/(?<=page%5Bsize%5D=)\d+/, String(size))
}

function randomRow(draw: RandomSource, id: number): Row {
  const digits = String(draw.below(1000)).padStart(3, '0')
  return {
    id,
    title: draw.pick(['ada', 'bob', 'cleo', 'dora', 'emil', 'fritz', '']),
    position: draw.pick([-3, 0, 1, 2, 3, 2_147_483_647]),
    rating: draw.pick(['0.00', '1.50', '1.49', '-7.25', '10.00', '9.99', null, null]),
    size: draw.pick(sizes),
    printedAt: draw.pick([`2024-05-01T12:00:00.123${digits}Z`, `1999-12-31T23:59:59.999${digits}Z`, null]),
  }
}

/** Returns sort terms: the given key, then one or two random keys. */
function randomTerms(draw: RandomSource, first: Key): Term[] {
  const more = Array.from({ length: 1 + draw.below(2) }, () => draw.pick(keys))
  return [...new Set([first, ...more])].map((key) => ({ key, descending: draw.chance(50) }))
}

/** Returns up to three new rows whose ids lie between the existing ids. */
function newcomers(draw: RandomSource, all: Map<string, Row>): Row[] {
  const ids = new Set([1, 2, 3].map(() => 10 * (1 + draw.below(rowCount)) + 1 + draw.below(9)))
  const rows = [...ids].filter((id) => !all.has(String(id))).map((id) => randomRow(draw, id))
  for (const row of rows) all.set(String(row.id), row)
  return rows
}

function drawSome(draw: RandomSource, ids: ReadonlySet<string>, count: number): string[] {
  const list = [...ids]
  return Array.from({ length: count }, () => draw.pick(list))
}

/** Compares rows as the database does: NULL is the largest value, ties are broken by id in the direction of the last key. */
function compareBy(terms: readonly Term[], a: Row, b: Row): number {
  for (const { key, descending } of terms) {
    const difference = compareValues(key, a[key], b[key])
    if (difference !== 0) return descending ? -difference : difference
  }
  return terms.at(-1)?.descending ? b.id - a.id : a.id - b.id
}

function compareValues(key: Key, a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  const [left, right] = key === 'size' ? [BigInt(a), BigInt(b)] : key === 'rating' ? [Number(a), Number(b)] : [a, b]
  return left < right ? -1 : left > right ? 1 : 0
}

function at(rows: ReadonlyMap<string, Row>, id: string): Row {
  return rows.get(id) as Row
}

async function insertOnly(rows: readonly Row[]): Promise<void> {
  await emptyLibrary()
  await insert(rows)
}

async function insert(rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map(({ id, title, position, rating, size, printedAt }) => {
    return `(${id}, '${title}', ${position}, ${rating}, ${size}, ${printedAt && `'${printedAt}'`})`
  })
  await execute(`insert into books (id, title, position, rating, pages, printed_at) values ${values.join()}`)
}

async function remove(ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await execute(`delete from books where id in (${ids.join()})`)
}

async function execute(sql: string): Promise<void> {
  const { orm } = await libraryDatabase()
  await orm.em.getConnection().execute(sql)
}
