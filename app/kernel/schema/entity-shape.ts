import type { Phrase } from '../errors/error-text.ts'
import type { EntityClass } from './entity-types.ts'

/** The mapping of an entity as the store reports it. The registry compares declarations with it. */
export interface EntityShape {
  readonly name: string
  /** The property with the primary key. */
  readonly key: string
  /** The columns of the primary key. The entity of a type has one; that of a join table may have several. */
  readonly keyColumns?: readonly string[]
  readonly properties: ReadonlyMap<string, PropertyShape>
  /** Whether the mapping itself may exclude rows: by filters, or because other entities share the table. */
  readonly excludesRows?: boolean
  /** Describes the table of the rows. Undefined if the store does not have the entity. */
  table?(): TableShape
}

/** The table that holds the rows of an entity. */
export interface TableShape extends DiscriminatedRows {
  /** Quoted, with its schema if it has one. */
  readonly name: string
  /** Whether the rows are those of one table, of a view, or spread over several tables. */
  readonly kind: 'table' | 'view' | 'tables'
  /** The columns of a property in the row itself. */
  listColumns(property: string): readonly string[]
  /**
   * The table whose rows are the members of a relation, or join them by their to-one relation `through`. Null if the row
   * itself refers to its members.
   */
  findLinks(relation: string, through: string | null): LinkTable | null
}

/** A table whose rows refer to an owner, and are or join its members. */
export interface LinkTable extends DiscriminatedRows {
  /** Quoted, with its schema if it has one. */
  readonly name: string
  /** The column with the key of the owner. */
  readonly owner: string
  /** The column with the key of the member. */
  readonly member: string
}

/** The rows of a table that are those of one entity, or refer to them; without a discriminator, all rows. */
export interface DiscriminatedRows {
  /** A column. */
  readonly discriminator?: string
  readonly values?: readonly string[]
}

export interface PropertyShape {
  readonly name: string
  /** Undefined if the property has no column. */
  readonly column?: string
  readonly role: 'scalar' | 'toOne' | 'toMany'
  /** Lazy properties are not part of the whole row. */
  readonly lazy: boolean
  /** Whether an entity holds the value in a wrapper object: a reference to a lazy scalar, an embeddable. */
  readonly wrapped?: boolean
  /** The property that writes the column, if it is another one: values of this property are only read. */
  readonly writtenWith?: string
  /** Whether a filter compares its values unchanged: the type of the column does not convert them. */
  readonly comparesUnchanged?: boolean
  /** Whether an SQL formula computes the value: it is only read. */
  readonly computed?: boolean
  /** The properties of an embeddable, by name. */
  readonly members?: ReadonlyMap<string, PropertyShape>
  readonly nullable: boolean
  /** Whether the column pads texts with blanks to `maxLength`. The blanks are not part of the value. */
  readonly isPadded?: boolean
  /** The longest text that the column can hold. */
  readonly maxLength?: number
  /** The numbers that the column can hold. */
  readonly range?: readonly [min: number, max: number]
  /** Whether the column of a time of day keeps fractions of a second. */
  readonly fractional?: boolean
  /** The values of an enum, or of the items of a list of them. `parse` accepts no other ones. */
  readonly values?: readonly (string | number)[]
  /** For a list column: whether it can hold the item without conversion. */
  holdsItem?(item: unknown): boolean
  /** For a list column: the JSON types of its items, beside null. Undefined if the items may have any type. */
  readonly itemTypes?: readonly ('boolean' | 'integer' | 'number' | 'string')[]
  /** The entity whose rows join the two sides of a many-to-many. */
  readonly association?: EntityClass<object>
  /** The foreign key of the members is not nullable and orphans are not deleted, so members cannot be removed. */
  readonly keepsMembers?: boolean
  /** The primary key of the target entity of a to-one, if there is one target entity. */
  readonly targetKey?: string
  /** The shape of the target entity of a relation, if there is one target entity. */
  target?(): EntityShape
  /** The target entities of a relation. */
  readonly targets?: readonly EntityClass<object>[]
  /** The property on the inverse side of a relation. Undefined if the mapping of this side does not name it. */
  readonly inverse?: string
  /** Whether the value is a column of the entity's table. */
  readonly owner: boolean
  /** Converts a value from a URL to the stored form. Returns undefined if the column cannot hold it. */
  parse(text: string): unknown
  /** The texts that `parse` accepts, for error details. Undefined if it accepts all texts, or none. */
  readonly accepted?: Phrase
  /** Whether the column can be compared with a JSON value, such as a boundary value of a cursor. */
  accepts(value: unknown): boolean
}
