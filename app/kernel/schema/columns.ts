import type { LruMap } from '../lib/lru-map.ts'
import type { Attribute, Relation } from './field.ts'

/** The fields of a type that a response shows. */
export interface ShownFields {
  readonly attributes: readonly Attribute[]
  readonly relations: readonly Relation[]
  /** The relations that the default fieldset omits: they are shown where they are included (full linkage). */
  readonly whenIncluded: readonly Relation[]
  /** The relations whose linkage is part of every response. */
  readonly alwaysLinked: readonly Relation[]
  /** The attributes that are read through to-one relations. */
  readonly chained: readonly Attribute[]
  /** The columns of queries that show these fields, by what they need in addition. */
  readonly selections: LruMap<string, Selection>
}

/** The columns to select for a type. */
export interface Selection {
  /** Distinguishes selections in the keys of statements. */
  readonly id: number
  readonly properties: readonly string[]
  /** Owner-side relations whose foreign key is selected, each under its `linkKey`. */
  readonly links: readonly Relation[]
  /** Chained attributes, each under its `chainKey`. */
  readonly chained: readonly Attribute[]
  /**
   * Dotted paths over to-one properties of the entity (`owner.email`), each under its own name. They are read for
   * plugins and never rendered. They ignore the scopes of the types on the path.
   */
  readonly paths: readonly string[]
  /** Whether the version of the row is selected, under `versionKey`. */
  readonly version: boolean
  readonly parts: SelectionParts
}

/**
 * What the data layer derives from a selection and keeps with it, for all requests. It adds the members by declaration
 * merging; the kernel does not read them.
 */
export class SelectionParts {}

/** One term of an order of rows. */
export interface SortTerm {
  readonly key: string
  readonly property: string
  readonly descending: boolean
  /** True for a property of the pivot row. */
  readonly pivot?: boolean
  /** True if a declared handler creates the term. Such an order has no cursors. */
  readonly custom?: boolean
}
