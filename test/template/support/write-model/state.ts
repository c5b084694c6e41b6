import { blueTag, redTag } from '#test/template/specification/library-rows.ts'

/** The library in memory; ids are the ids of the documents. */
export interface State {
  readonly shelves: Map<string, { name: string }>
  readonly books: Map<string, BookState>
  readonly tags: Map<string, { name: string }>
  readonly labels: Map<string, { text: string; shelf: string | null }>
}

export interface BookState {
  title: string
  position: number
  rating: number | null
  shelf: string | null
  tags: Set<string>
}

/** What a write does to the state, once the id of what it has created is known. */
export type Effect = (state: State, id: string) => void

/** The rows of `fillLibrary`. */
export function initialState(): State {
  const book = (title: string, position: number, rating: number | null, shelf: string | null, tags: string[] = []) => ({
    title,
    position,
    rating,
    shelf,
    tags: new Set(tags),
  })
  return {
    shelves: new Map([
      ['1', { name: 'Fiction' }],
      ['2', { name: 'Poetry' }],
    ]),
    books: new Map([
      ['1', book('Emma', 3, 8.5, '1', [redTag, blueTag])],
      ['2', book('Persuasion', 2, null, '1')],
      ['3', book('Sanditon', 1, 7, '1')],
      ['4', book('Lady Susan', 1, 7, null)],
    ]),
    tags: new Map([
      [redTag, { name: 'red' }],
      [blueTag, { name: 'blue' }],
    ]),
    labels: new Map([['1', { text: 'F', shelf: '1' }]]),
  }
}

export function copyState(state: State): State {
  return structuredClone(state)
}

export function applied(state: State, { effect }: { readonly effect: Effect }, id: string): State {
  const next = copyState(state)
  effect(next, id)
  return next
}

/** Every row as the database would tell it. */
export function printState({ shelves, books, tags, labels }: State): string[] {
  return [
    ...[...shelves].map(([id, { name }]) => `shelf ${id} ${name}`),
    ...[...books].map(
      ([id, { title, position, rating, shelf }]) =>
        `book ${id} ${title} ${position} ${rating ?? '-'} ${shelf ?? '-'} - -`,
    ),
    ...[...books].flatMap(([id, book]) => [...book.tags].map((tag) => `pair ${id} ${tag}`)),
    ...[...tags].map(([id, { name }]) => `tag ${id} ${name}`),
    ...[...labels].map(([id, { text, shelf }]) => `label ${id} ${text} ${shelf ?? '-'}`),
  ].sort()
}
