import type { TypeNames } from '../make/names.ts'
import type { Target } from '../make/targets.ts'
import type { ColumnMapping } from './columns.ts'
import type { CatalogColumn, CatalogConstraint, CatalogRelation } from './introspect.ts'
import type { Key } from './keys.ts'
import type { PropertyNamer } from './names.ts'

/** What is generated from one table or view. */
export interface TypePlan {
  readonly relation: CatalogRelation
  readonly names: TypeNames
  readonly key: Key
  /** Views, and tables whose key is not one column or whose writes a rule replaces. */
  readonly isReadOnly: boolean
  /** The files of a type that the project has already; null if the type is generated. */
  readonly declared: Target | null
  /** The lists of values of native enums, also of those in join tables, by type. */
  readonly lists: Map<string, { readonly name: string; readonly values: readonly string[] }>
  readonly attributes: AttributePlan[]
  readonly toOnes: ToOnePlan[]
  readonly toManys: ToManyPlan[]
  readonly joins: JoinPlan[]
  readonly namer: PropertyNamer
}

export interface AttributePlan {
  readonly property: string
  readonly column: CatalogColumn
  readonly mapping: ColumnMapping
  /** Whether the default or a check of the column names `infinity`. */
  readonly isInfinite: boolean
  readonly rules: string
  /** In no response and in no request: it holds or may contain a secret. */
  readonly isSecret: boolean
  /** The trigger that fills the column, so that it is read-only. */
  readonly filledBy: string | null
  /** The trigger that fills the column if it is absent, so that it is not required. */
  readonly defaultedBy: string | null
}

export interface ToOnePlan {
  readonly property: string
  readonly constraint: CatalogConstraint
  readonly column: CatalogColumn
  readonly target: TypePlan
  /** The foreign key is also the primary key, so that the relation cannot be written. */
  readonly isKey: boolean
  readonly filledBy: string | null
  readonly defaultedBy: string | null
  /** The foreign key is unique, so that the inverse is one row. */
  readonly isUnique: boolean
}

/** The inverse of a foreign key, or a side of a join table. */
export interface ToManyPlan {
  readonly property: string
  readonly target: TypePlan
  /** The property of the target on the owning side. Null on the owning side of a join table. */
  readonly mappedBy: string | null
  readonly join: JoinPlan | null
  /** The inverse of a unique foreign key. */
  readonly isOne: boolean
}

/** A join table: two foreign keys are its primary key. */
export interface JoinPlan {
  readonly relation: CatalogRelation
  readonly entity: string
  readonly sides: readonly [JoinSide, JoinSide]
  readonly attributes: readonly AttributePlan[]
}

export interface JoinSide {
  readonly property: string
  readonly constraint: CatalogConstraint
  readonly column: CatalogColumn
  readonly target: TypePlan
}

export interface Remark {
  readonly member: string
  readonly text: string
}

export interface DatabasePlan {
  readonly types: readonly TypePlan[]
  /** The types of the project that generated types refer to; `toManys` are the new relations. */
  readonly existing: readonly TypePlan[]
  readonly remarks: readonly Remark[]
  /** The signatures of functions that an action may call. */
  readonly functions: readonly string[]
}
