import type { Rec, Relation } from './fields/definition.ts'
import type { Page, Paginator, Window } from './query.ts'
import { remember } from './remember.ts'
import type { ResourceType } from './resource.ts'

export interface Member {
  readonly type: ResourceType
  readonly record: Rec
}

/** What a relation of one record leads to. */
export interface Edge {
  readonly members: readonly Member[]
  /** The row each member was read from, when it carries values of the association. */
  readonly rows?: readonly Rec[]
  /** Its members stand among the included resources. */
  readonly included?: boolean
  /** Set when the relation was read as a page. */
  readonly page?: {
    readonly page: Page
    readonly window: Window
    readonly paginator: Paginator
    readonly search: string
  }
}

/** What is known of a relation, by the record it starts from. */
export interface KnownRelation {
  readonly edges: Map<Rec, Edge>
  readonly totals: Map<Rec, number>
  /** Those that may not show what it leads to. */
  readonly withheld: Set<Rec>
}

export interface PivotNote {
  readonly relation: Relation
  readonly row: Rec
}

/** The related data of one answer, beside the records. One canonical record per type and key. */
export class Graph {
  readonly #records = new Map<ResourceType, Map<unknown, Rec>>()
  readonly #relations = new Map<Relation, KnownRelation>()
  readonly #included = new Map<Rec, ResourceType>()
  #pivots: Map<Rec, PivotNote> | undefined

  /** The one record that stands for this row in the whole document. */
  intern(type: ResourceType, record: Rec): Rec {
    const records = remember(this.#records, type, () => new Map<unknown, Rec>())
    return remember(records, record[type.id.property], () => record)
  }

  /** Undefined when nothing was asked of the relation. */
  known(relation: Relation): KnownRelation | undefined {
    return this.#relations.get(relation)
  }

  /** Undefined when the relation was not loaded for this record. */
  get(record: Rec, relation: Relation): Edge | undefined {
    return this.#relations.get(relation)?.edges.get(record)
  }

  set(record: Rec, relation: Relation, edge: Edge): void {
    this.#relation(relation).edges.set(record, edge)
  }

  /** How many members the relation has. */
  setTotal(record: Rec, relation: Relation, total: number): void {
    this.#relation(relation).totals.set(record, total)
  }

  /** The record may not show what the relation leads to. */
  withhold(record: Rec, relation: Relation): void {
    this.#relation(relation).withheld.add(record)
  }

  /** The association row a resource is shown with; of several, the first. */
  notePivot(record: Rec, relation: Relation, row: Rec): void {
    this.#pivots ??= new Map()
    remember(this.#pivots, record, () => ({ relation, row }))
  }

  /** Undefined when no resource is shown with an association row. */
  get pivots(): ReadonlyMap<Rec, PivotNote> | undefined {
    return this.#pivots
  }

  include(members: readonly Member[]): void {
    for (const { type, record } of members) this.#included.set(record, type)
  }

  /** Everything included, each once, without what is primary data already. */
  included(primary: readonly Member[]): Member[] {
    if (this.#included.size === 0) return []
    const shown = new Set(primary.map((member) => member.record))
    const members: Member[] = []
    for (const [record, type] of this.#included) if (!shown.has(record)) members.push({ type, record })
    return members
  }

  #relation(relation: Relation): KnownRelation {
    return remember(this.#relations, relation, () => ({ edges: new Map(), totals: new Map(), withheld: new Set() }))
  }
}
