import type { EntityClass } from '@mikro-orm/core'
import type { Phrase } from '../errors/error-text.ts'

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
  /** The longest text that the column can hold. */
  readonly maxLength?: number
  /** The numbers that the column can hold. */
  readonly range?: readonly [min: number, max: number]
  /** The values of an enum, or of the items of a list of them. `parse` accepts no other ones. */
  readonly values?: readonly (string | number)[]
  /** For a list column: whether it can hold the item without conversion. */
  holdsItem?(item: unknown): boolean
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
