import { getOrCreate } from '../lib/get-or-create.ts'
import type { Relation, Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Page, Paginator, Window } from './query.ts'

export interface Member {
  readonly type: ResourceType
  readonly record: Row
}

/** The members of a relation of one record. */
export interface Edge {
  readonly members: readonly Member[]
  /** The row that each member was read from, if the relation has pivot fields. */
  readonly rows?: readonly Row[] | undefined
  /** Whether the members are among the included resources. */
  readonly included?: boolean
  /** Set if the relation was read as a page. */
  readonly page?: {
    readonly page: Page
    readonly window: Window
    readonly paginator: Paginator
    readonly search: string
  }
}

/** The loaded data of a relation, by parent record. */
interface LoadedRelation {
  readonly edges: Map<Row, Edge>
  /** Null if nothing was counted. */
  totals: Map<Row, number> | null
  /** The records that may not show their members. Null if all may. */
  withheld: Set<Row> | null
}

/** The relation and the row that hold the pivot values of a resource. */
export interface PivotRow {
  readonly relation: Relation
  readonly row: Row
}

/** The related data of one response, beside the records. There is one record per type and key. */
export class Graph {
  #members: Map<ResourceType, Map<unknown, Member>> | undefined
  #collection: { readonly type: ResourceType; readonly members: readonly Member[] } | undefined
  /** The relations that were loaded or counted. */
  relations: Map<Relation, LoadedRelation> | undefined
  hasIncluded = false
  #included: Set<Member> | undefined
  /** Undefined if no resource is shown with pivot values. */
  pivots: Map<Row, PivotRow> | undefined
  /** The paths of added links by name. Undefined if no resource has one. */
  links: Map<Row, Record<string, string>> | undefined
  /** The number of distinct resources in the document. */
  size = 0

  countMembers(type: ResourceType): number {
    if (this.#collection?.type === type) return this.#collection.members.length
    return this.#members?.get(type)?.size ?? 0
  }

  /** Adds the rows of a collection. The first collection is indexed by key only if its type occurs again. */
  addCollection(type: ResourceType, rows: readonly Row[]): Member[] {
    if (this.#members || this.#collection) return this.members(type, [{ records: rows }])[0] as Member[]
    const members: Member[] = []
    for (const record of rows) members.push({ type, record })
    this.#collection = { type, members }
    this.size += members.length
    return members
  }

  /** Adds a row, or returns the member that the document already has for its key. */
  member(type: ResourceType, row: Row): Member {
    return this.members(type, [{ records: [row] }])[0]?.[0] as Member
  }

  /** Adds the rows of pages, except those for whose keys the document has members, which are returned in their place. */
  members(type: ResourceType, pages: readonly Pick<Page, 'records'>[]): Member[][] {
    const byKey = this.#indexMembers(type) ?? this.#indexByKey(type, [])
    const membersOfPages: Member[][] = []
    for (const { records } of pages) {
      const members: Member[] = []
      for (const record of records) {
        const key = record[type.id.property]
        let member = byKey.get(key)
        if (!member) {
          member = { type, record }
          byKey.set(key, member)
          this.size++
        }
        members.push(member)
      }
      membersOfPages.push(members)
    }
    return membersOfPages
  }

  /** Returns a member for linkage, without adding its row to the document. */
  identifier(type: ResourceType, row: Row): Member {
    return this.#indexMembers(type)?.get(row[type.id.property]) ?? { type, record: row }
  }

  /** Undefined if the relation was not loaded for this record. */
  get(record: Row, relation: Relation): Edge | undefined {
    return this.relations?.get(relation)?.edges.get(record)
  }

  /** The members of a relation by parent record; the loader adds to it. */
  edges(relation: Relation): Map<Row, Edge> {
    return this.#relation(relation).edges
  }

  setTotal(record: Row, relation: Relation, total: number): void {
    const loaded = this.#relation(relation)
    loaded.totals ??= new Map()
    loaded.totals.set(record, total)
  }

  /** Hides the members of the relation in this record. */
  withhold(record: Row, relation: Relation): void {
    const loaded = this.#relation(relation)
    loaded.withheld ??= new Set()
    loaded.withheld.add(record)
  }

  /** Sets the pivot row that a resource is shown with. The first one is kept. */
  setPivot(record: Row, relation: Relation, row: Row): void {
    this.pivots ??= new Map()
    getOrCreate(this.pivots, record, () => ({ relation, row }))
  }

  /** Adds a link to a resource; the path is relative to the URL of the resource. */
  addLink(record: Row, name: string, path: string): void {
    this.links ??= new Map()
    getOrCreate(this.links, record, () => ({}) as Record<string, string>)[name] = path
  }

  /** The types of the resources in the document. */
  get types(): readonly ResourceType[] {
    return [...(this.#members?.keys() ?? []), ...(this.#collection ? [this.#collection.type] : [])]
  }

  listRows(type: ResourceType): readonly Row[] {
    if (this.#collection?.type === type) return toRows(this.#collection.members)
    return toRows(this.#members?.get(type)?.values() ?? [])
  }

  include(members: Iterable<Member>): void {
    this.hasIncluded = true
    this.#included ??= new Set()
    for (const member of members) this.#included.add(member)
  }

  /** The included resources without those that are primary data. */
  included(primary: readonly Member[]): Member[] {
    if (!this.#included) return []
    const shown = new Set<Row>()
    for (const { record } of primary) shown.add(record)
    const members: Member[] = []
    for (const member of this.#included) if (!shown.has(member.record)) members.push(member)
    return members
  }

  #indexMembers(type: ResourceType): Map<unknown, Member> | undefined {
    if (this.#collection?.type === type) {
      const { members } = this.#collection
      this.#collection = undefined
      return this.#indexByKey(type, members)
    }
    return this.#members?.get(type)
  }

  /** Indexes members by key. The first member of a key is kept. */
  #indexByKey(type: ResourceType, members: readonly Member[]): Map<unknown, Member> {
    const byKey = new Map<unknown, Member>()
    for (const member of members) {
      const key = member.record[type.id.property]
      if (!byKey.has(key)) byKey.set(key, member)
    }
    this.#members ??= new Map()
    this.#members.set(type, byKey)
    return byKey
  }

  #relation(relation: Relation): LoadedRelation {
    this.relations ??= new Map()
    let loaded = this.relations.get(relation)
    if (!loaded) {
      loaded = { edges: new Map(), totals: null, withheld: null }
      this.relations.set(relation, loaded)
    }
    return loaded
  }
}

function toRows(members: Iterable<Member>): Row[] {
  const records: Row[] = []
  for (const { record } of members) records.push(record)
  return records
}
