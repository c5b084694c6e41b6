import { getOrCreate } from '../lib/get-or-create.ts'
import type { Relation, Row } from './field.ts'
import type { Page, Paginator, Window } from './query.ts'
import type { ResourceType } from './resource-type.ts'

export interface Member {
  readonly type: ResourceType
  readonly record: Row
}

/** What a relation of one record leads to. */
export interface Edge {
  readonly members: readonly Member[]
  /** The row each member was read from, when it carries values of the association. */
  readonly rows?: readonly Row[]
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
export interface LoadedRelation {
  readonly edges: Map<Row, Edge>
  /** Null when nothing was counted. */
  totals: Map<Row, number> | null
  /** Those that may not show what it leads to; null when all may. */
  withheld: Set<Row> | null
}

export interface PivotRow {
  readonly relation: Relation
  readonly row: Row
}

/** The related data of one answer, beside the records. One canonical record per type and key. */
export class Graph {
  #members: Map<ResourceType, Map<unknown, Member>> | undefined
  #presented: { readonly type: ResourceType; readonly members: readonly Member[] } | undefined
  #relations: Map<Relation, LoadedRelation> | undefined
  #included: Set<Member> | undefined
  #pivots: Map<Row, PivotRow> | undefined
  #size = 0

  /** How many distinct resources the document has. */
  get size(): number {
    return this.#size
  }

  /** How many of them are of a type. */
  sizeOf(type: ResourceType): number {
    if (this.#presented?.type === type) return this.#presented.members.length
    return this.#members?.get(type)?.size ?? 0
  }

  /** The rows that are read first stand for themselves; they are looked through when one of their type is met again. */
  present(type: ResourceType, rows: readonly Row[]): Member[] {
    if (this.#members || this.#presented) return rows.map((row) => this.member(type, row))
    const members = rows.map((record) => ({ type, record }))
    this.#presented = { type, members }
    this.#size += members.length
    return members
  }

  /** The one that stands for this row in the whole document: its record is the row that was seen first. */
  member(type: ResourceType, row: Row): Member {
    const members = this.#membersOf(type) ?? this.#open(type, [])
    const key = row[type.id.property]
    const loaded = members.get(key)
    if (loaded) return loaded
    const member = { type, record: row }
    members.set(key, member)
    this.#size++
    return member
  }

  /** The same of a row that is only named: nothing will be shown of it. */
  named(type: ResourceType, row: Row): Member {
    return this.#membersOf(type)?.get(row[type.id.property]) ?? { type, record: row }
  }

  /** Undefined when nothing was asked of the relation. */
  loaded(relation: Relation): LoadedRelation | undefined {
    return this.#relations?.get(relation)
  }

  /** Undefined when the relation was not loaded for this record. */
  get(record: Row, relation: Relation): Edge | undefined {
    return this.#relations?.get(relation)?.edges.get(record)
  }

  /** What the relation leads to, by record: for whoever has loaded it. */
  edges(relation: Relation): Map<Row, Edge> {
    return this.#relation(relation).edges
  }

  /** How many members the relation has. */
  setTotal(record: Row, relation: Relation, total: number): void {
    const known = this.#relation(relation)
    known.totals ??= new Map()
    known.totals.set(record, total)
  }

  /** The record may not show what the relation leads to. */
  withhold(record: Row, relation: Relation): void {
    const known = this.#relation(relation)
    known.withheld ??= new Set()
    known.withheld.add(record)
  }

  /** The association row a resource is shown with; of several, the first. */
  setPivot(record: Row, relation: Relation, row: Row): void {
    this.#pivots ??= new Map()
    getOrCreate(this.#pivots, record, () => ({ relation, row }))
  }

  /** Undefined when no resource is shown with an association row. */
  get pivots(): ReadonlyMap<Row, PivotRow> | undefined {
    return this.#pivots
  }

  include(members: Iterable<Member>): void {
    this.#included ??= new Set()
    for (const member of members) this.#included.add(member)
  }

  /** Everything included, each once, without what is primary data already. */
  included(primary: readonly Member[]): Member[] {
    if (!this.#included) return []
    const shown = new Set(primary.map((member) => member.record))
    const members: Member[] = []
    for (const member of this.#included) if (!shown.has(member.record)) members.push(member)
    return members
  }

  #membersOf(type: ResourceType): Map<unknown, Member> | undefined {
    if (this.#presented?.type === type) {
      const { members } = this.#presented
      this.#presented = undefined
      return this.#open(type, members)
    }
    return this.#members?.get(type)
  }

  /** By their keys; of several under one key, the first. */
  #open(type: ResourceType, members: readonly Member[]): Map<unknown, Member> {
    const byKey = new Map<unknown, Member>()
    for (const member of members) getOrCreate(byKey, member.record[type.id.property], () => member)
    this.#members ??= new Map()
    this.#members.set(type, byKey)
    return byKey
  }

  #relation(relation: Relation): LoadedRelation {
    this.#relations ??= new Map()
    return getOrCreate(this.#relations, relation, () => ({ edges: new Map(), totals: null, withheld: null }))
  }
}
