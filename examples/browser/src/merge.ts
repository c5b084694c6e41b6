import { type AlbumFields, type FieldName, fieldNames } from './album-fields.ts'

/** A field that another user has changed. */
export interface OtherChange {
  readonly name: FieldName
  /** Whether the user has changed the field to another value, and must choose. */
  readonly isConflict: boolean
}

export interface Merge {
  readonly changes: readonly OtherChange[]
  /** The fields of the user, with the changes of the other where the user has changed nothing. */
  readonly merged: AlbumFields
}

/** Three-way merge: `base` is the state that both users have read. */
export function mergeFields(base: AlbumFields, mine: AlbumFields, theirs: AlbumFields): Merge {
  const changed = fieldNames.filter((name) => theirs[name] !== base[name] && theirs[name] !== mine[name])
  const changes = changed.map((name) => ({ name, isConflict: mine[name] !== base[name] }))
  const taken = changes.filter(({ isConflict }) => !isConflict).map(({ name }) => [name, theirs[name]])
  return { changes, merged: { ...mine, ...Object.fromEntries(taken) } }
}
