import type { State } from './state.ts'

export type TypeName = keyof State
export type Way = 'replace' | 'add' | 'remove'

export interface RelationModel {
  readonly type: TypeName
  readonly name: string
  readonly target: TypeName
  readonly toMany: boolean
  /** Changes the members of the parent; a to-one is replaced by one or none. */
  change(state: State, parent: string, members: readonly string[], way: Way): void
}

export const relations: readonly RelationModel[] = [
  {
    type: 'shelves',
    name: 'books',
    target: 'books',
    toMany: true,
    change(state, shelf, members, way) {
      for (const [id, book] of state.books) {
        const named = members.includes(id)
        if (named && way !== 'remove') book.shelf = shelf
        else if (book.shelf === shelf && way === (named ? 'remove' : 'replace')) book.shelf = null
      }
    },
  },
  {
    type: 'shelves',
    name: 'label',
    target: 'labels',
    toMany: false,
    change(state, shelf, [member]) {
      for (const [id, label] of state.labels) {
        if (id === member) label.shelf = shelf
        else if (label.shelf === shelf) label.shelf = null
      }
    },
  },
  {
    type: 'books',
    name: 'shelf',
    target: 'shelves',
    toMany: false,
    change(state, book, [shelf = null]) {
      Object.assign(state.books.get(book) ?? {}, { shelf })
    },
  },
  {
    type: 'books',
    name: 'tags',
    target: 'tags',
    toMany: true,
    change(state, book, members, way) {
      const tags = state.books.get(book)?.tags
      if (way === 'replace') tags?.clear()
      for (const tag of members) way === 'remove' ? tags?.delete(tag) : tags?.add(tag)
    },
  },
  {
    type: 'tags',
    name: 'books',
    target: 'books',
    toMany: true,
    change(state, tag, members, way) {
      for (const [id, { tags }] of state.books) {
        const named = members.includes(id)
        if (named && way !== 'remove') tags.add(tag)
        else if (way === (named ? 'remove' : 'replace')) tags.delete(tag)
      }
    },
  },
  {
    type: 'labels',
    name: 'shelf',
    target: 'shelves',
    toMany: false,
    change(state, label, [shelf = null]) {
      Object.assign(state.labels.get(label) ?? {}, { shelf })
    },
  },
]

/** The shelf of another label, which a label cannot take. */
export function isTaken(state: State, { type, name }: RelationModel, parent: string, [shelf]: readonly string[]) {
  if (type !== 'labels' || name !== 'shelf' || shelf === undefined) return false
  return [...state.labels].some(([id, label]) => id !== parent && label.shelf === shelf)
}

/** Removes a row, and what refers to it. */
export function remove(state: State, type: TypeName, id: string): void {
  state[type].delete(id)
  if (type === 'shelves') {
    for (const row of [...state.books.values(), ...state.labels.values()]) if (row.shelf === id) row.shelf = null
  }
  if (type === 'tags') for (const { tags } of state.books.values()) tags.delete(id)
}
