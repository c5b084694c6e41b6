import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { mediaType } from '#test/support/client.ts'

type Body = Readonly<Record<string, unknown>>
interface Resource {
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, { readonly data?: readonly object[]; readonly meta?: Body }>>
}
interface Document {
  readonly data: Resource | readonly Resource[]
  readonly included?: readonly Resource[]
}

export interface TornReadsOptions {
  readonly url: string
  /** The number of documents to read. */
  readonly reads: number
  /** Writes a state by one transaction: every text is the number, and the shelf has two books, or three if it is odd. */
  readonly write: (state: number) => Promise<unknown>
}

export interface TornReads {
  /** The documents that show more than one state. */
  readonly torn: readonly string[]
  readonly states: number
}

/** One URL per kind of read. */
const paths = [
  '/labels/1?include=shelf',
  '/labels/1?include=shelf.books',
  '/books?include=shelf',
  '/shelves/1',
  '/shelves/1?withCount=books',
  '/shelves/1/books?include=shelf',
  '/boxes/1?include=contents',
]
const readers = 8

/** Reads documents of several statements while a writer changes all rows, again and again. */
export async function findTornReads({ url, reads, write }: TornReadsOptions): Promise<TornReads> {
  const agent = new Agent({ keepAlive: true, maxSockets: readers })
  const torn: string[] = []
  let sent = 0
  let states = 0
  let isReading = true
  const read = async () => {
    while (sent < reads) {
      const path = paths[sent++ % paths.length] as string
      const text = await get(agent, url + path)
      if (readStates(JSON.parse(text)).size !== 1) torn.push(`${path} ${text}`)
    }
  }
  const writing = (async () => {
    while (isReading) {
      await write(++states)
      await setTimeout(10) // most of the time belongs to the readers, and a write still commits during many of the reads
    }
  })()
  try {
    await Promise.all(Array.from({ length: readers }, read))
  } finally {
    isReading = false
    agent.destroy()
    await writing
  }
  return { torn, states }
}

/** The statement that writes a state. */
export function stateStatements(state: number): readonly string[] {
  return [
    `update labels set text = '${state}'`,
    `update books set title = '${state}'`,
    `update books set shelf_id = ${state % 2 === 1 ? 1 : 'null'} where id = 3`,
    `update boxes set name = '${state}'`,
    `update shelves set name = '${state}'`,
  ]
}

export const initialState: readonly string[] = [
  "insert into shelves (id, name) values (1, '0')",
  "insert into books (id, title, position, shelf_id) values (1, '0', 1, 1), (2, '0', 1, 1), (3, '0', 1, null)",
  "insert into labels (id, text, shelf_id) values (1, '0', 1)",
  "insert into boxes (id, name) values (1, '0')",
  `insert into box_items (id, box_id, thing_type, thing_id, position)
   values (1, 1, 'books', 1, 1), (2, 1, 'labels', 1, 2)`,
]

/** Returns the states of all texts; the number of books must be the one of their state. */
function readStates({ data, included = [] }: Document): Set<string> {
  const states = new Set<string>()
  for (const { attributes, relationships } of [data, included].flat() as Resource[]) {
    const text = String(attributes?.name ?? attributes?.title ?? attributes?.text)
    states.add(text)
    const books = 2 + (Number(text) % 2)
    const { linkedBooks, books: counted } = relationships ?? {}
    if (linkedBooks?.data && linkedBooks.data.length !== books) states.add(`${linkedBooks.data.length} books`)
    if (counted?.meta && counted.meta.total !== books) states.add(`${counted.meta.total} books`)
  }
  return states
}

function get(agent: Agent, url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { accept: mediaType } }, async (response) => {
      try {
        const text = Buffer.concat(await response.toArray()).toString()
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`${response.statusCode} ${url}: ${text}`))
      } catch (error) {
        reject(error)
      }
    })
    sent.once('error', reject).end()
  })
}
