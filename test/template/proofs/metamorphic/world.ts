import type { RandomSource } from '#test/conformance/random.ts'

export interface ResourceObject {
  readonly type: string
  readonly id: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, Relationship>>
  readonly links?: object
  readonly meta?: object
}

export interface Relationship {
  readonly data?: Identifier | readonly Identifier[] | null
  readonly links?: object
  readonly meta?: { readonly total?: number }
}

export interface Identifier {
  readonly type: string
  readonly id: string
}

/** A document of a response with status 200. */
export interface ResponseDocument {
  readonly data: ResourceObject | readonly ResourceObject[] | null
  readonly included?: readonly ResourceObject[]
  readonly links?: Readonly<Record<string, string | null>>
  readonly meta?: { readonly total?: number; readonly page?: { readonly total?: number } }
}

export interface WorldResponse {
  readonly status: number
  readonly text: string
}

export type WorldSend = (method: string, path: string, body?: object, isBatch?: boolean) => Promise<WorldResponse>

/** The application under test, with random rows. */
export interface World {
  readonly send: WorldSend
  /** Returns the document of a GET. Throws if the status is not 200. */
  read(path: string): Promise<ResponseDocument>
}

/** Checks one random case. Returns the violation, or null. */
export type Rule = (world: World, draw: RandomSource) => Promise<string | null>

export function createWorld(send: WorldSend): World {
  return {
    send,
    async read(path) {
      const { status, text } = await send('GET', path)
      if (status !== 200) throw new Error(`GET ${path} returns ${status}: ${text.slice(0, 500)}`)
      return JSON.parse(text)
    },
  }
}

export function listResources({ data }: Pick<ResponseDocument, 'data'>): readonly ResourceObject[] {
  return data === null ? [] : ([data].flat() as ResourceObject[])
}

export function readIds(document: ResponseDocument): string[] {
  return listResources(document).map(({ id }) => id)
}

/** Draws a sort and a filter of books. */
export function drawBookQuery(draw: RandomSource): string {
  const parameters = [draw.chance(70) && `sort=${drawSort(draw)}`, draw.chance(30) && drawFilter(draw)]
  return parameters.filter(Boolean).join('&')
}

const sortNames = ['title', 'position', 'rating', 'printedAt', 'size'] as const

export function drawSort(draw: RandomSource): string {
  const names = new Set(Array.from({ length: 1 + draw.below(2) }, () => draw.pick(sortNames)))
  return [...names].map((name) => (draw.chance(50) ? `-${name}` : name)).join()
}

function drawFilter(draw: RandomSource): string {
  return draw.pick([
    'filter[rated]=',
    'filter[text]=a',
    'filter[positionFrom]=1',
    'filter[tagged]=',
    'filter[unshelved]=',
  ])
}
