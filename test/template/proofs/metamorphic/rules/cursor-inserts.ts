import type { RandomSource } from '#test/conformance/random.ts'
import { drawBookQuery, type Rule, readIds, type World } from '../world.ts'

/** Rows that exist while all cursor pages are read are returned once and in order, whatever is inserted or deleted. */
export const cursorsKeepRows: Rule = async (world, draw) => {
  const query = drawBookQuery(draw)
  const before = readIds(await world.read(`/books?${query}&page[kind]=page&page[size]=50`))
  const seen: string[] = []
  const writes: Writes = { inserts: 0, deleted: new Set() }
  const first = `/books?${query}&page[kind]=cursor&page[size]=${1 + draw.below(4)}`
  for (let path: string | null = first; path !== null; ) {
    const document = await world.read(path)
    seen.push(...readIds(document))
    const next = document.links?.next
    path = next ? next.replace(/^https?:\/\/[^/]+/, '') : null
    if (path !== null) await writeBetweenPages(world, draw, before, writes)
  }
  const kept = before.filter((id) => !writes.deleted.has(id))
  const returned = seen.filter((id) => kept.includes(id))
  if (kept.join() === returned.join()) return null
  return `GET ${first}: the rows ${kept} were there throughout, the pages have ${returned}.`
}

/** The writes of one case. The whole collection must still fit on one page after several cases. */
interface Writes {
  inserts: number
  readonly deleted: Set<string>
}

const maxInserts = 2

async function writeBetweenPages(
  world: World,
  draw: RandomSource,
  existing: readonly string[],
  writes: Writes,
): Promise<void> {
  if (writes.inserts < maxInserts && draw.chance(60)) {
    writes.inserts++
    const attributes = { title: draw.pick(['Emma', 'A', 'zz']), position: draw.below(4), rating: draw.pick([null, 7]) }
    await world.send('POST', '/books', { data: { type: 'books', attributes } })
  }
  const victim = draw.chance(15) ? draw.pick(existing) : null
  if (victim === null || writes.deleted.has(victim)) return
  writes.deleted.add(victim)
  await world.send('DELETE', `/books/${victim}`)
}
