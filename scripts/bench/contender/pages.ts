// Pages by cursor: a position is the id of a row, in the form clients of both services know.

type Direction = 'after' | 'before'

/** The id behind a cursor; nothing for the first page. */
export function positionOf(cursor: string | string[] | undefined): number | undefined {
  if (typeof cursor !== 'string') return undefined
  return JSON.parse(Buffer.from(cursor, 'base64url').toString()).v[0]
}

/** Links to the first page, to that before one row and to that after another. */
export function linksAround(url: string, size: number, before: unknown, after: unknown): Record<string, string> {
  const first = `${url}?page%5Bsize%5D=${size}`
  return {
    first,
    ...(before !== undefined && { prev: `${first}&page%5Bbefore%5D=${cursorOf(before, 'before')}` }),
    ...(after !== undefined && { next: `${first}&page%5Bafter%5D=${cursorOf(after, 'after')}` }),
  }
}

function cursorOf(id: unknown, direction: Direction): string {
  return Buffer.from(JSON.stringify({ k: ['id'], v: [id], d: direction })).toString('base64url')
}
