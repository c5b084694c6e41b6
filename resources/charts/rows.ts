/** A type alias: an interface is not assignable to the records of the memory store. */
export type Chart = {
  readonly id: string
  readonly name: string
  readonly period: string
  readonly entries: readonly { readonly rank: number; readonly trackId: string; readonly plays: number }[]
}

export const charts: readonly Chart[] = [
  {
    id: '1',
    name: 'Weekly Top',
    period: '2024-W03',
    entries: [
      { rank: 1, trackId: '2', plays: 12_000 },
      { rank: 2, trackId: '1', plays: 9_800 },
      { rank: 3, trackId: '4', plays: 7_100 },
    ],
  },
]
