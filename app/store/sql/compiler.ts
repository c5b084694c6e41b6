import type { EntityClass, EntityMetadata, EntityProperty, Platform } from '@mikro-orm/core'
import type { Condition, Relation, ResourceType, SortTerm } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import type { StoreUnit } from '../unit.ts'
import { columnType } from './column-types.ts'
import { plainFilter } from './orm-filter.ts'
import { predicate } from './predicates.ts'
import type { Scopes } from './scopes.ts'
import type { Source } from './statement-cache.ts'

/** Collects the parameters of one statement while its text is made. Values are only ever bound. */
export class Compiler {
  readonly parameters: unknown[] = []
  /** Where a parameter comes from, when it is read from one of the things that are asked. */
  readonly sources: (Source | undefined)[] = []
  /** The text says something that a shape does not tell. */
  isUnique = false
  readonly unit: StoreUnit
  readonly #scopes: Scopes
  readonly #things: readonly object[]
  readonly #pivots = new Map<string, Pivot>()
  /** Types whose scope is being compiled. */
  readonly #scoping = new Set<ResourceType>()
  #aliases = 0

  constructor(unit: StoreUnit, scopes: Scopes, things: readonly object[] = []) {
    this.unit = unit
    this.#scopes = scopes
    this.#things = things
  }

  bind(value: unknown, cast?: string): string {
    this.parameters.push(value)
    return cast ? `$${this.parameters.length}::${cast}` : `$${this.parameters.length}`
  }

  /** Binds what is read from a thing; the next statement of the same shape has another in its place. */
  take<Thing extends object>(thing: Thing, read: (thing: Thing) => unknown, cast?: string): string {
    const place = this.#things.indexOf(thing)
    this.sources[this.parameters.length] = place < 0 ? undefined : { place, read }
    return this.bind(read(thing), cast)
  }

  /** Whether a column holds one of the keys. The server plans for ten of them: with one it would plan anew each time. */
  isAmong(column: string, keys: readonly unknown[]): string {
    return keys.length === 1 ? `${column} = ${this.take(keys, first)}` : `${column} = any(${this.take(keys, itself)})`
  }

  alias(): string {
    return `t${this.#aliases++}`
  }

  get platform(): Platform {
    return this.unit.orm.em.getPlatform()
  }

  meta(type: ResourceType): EntityMetadata {
    return metaOf(type, this.unit.orm)
  }

  table(type: ResourceType): string {
    return tableOf(this.meta(type))
  }

  property(type: ResourceType, name: string): EntityProperty {
    return this.meta(type).properties[name as never] as EntityProperty
  }

  column(type: ResourceType, property: string, alias: string): string {
    return `${alias}.${quote(this.property(type, property).fieldNames[0] as string)}`
  }

  key(type: ResourceType, alias: string): string {
    return this.column(type, type.id.property, alias)
  }

  /** The rows of a type this requester may see; undefined when that is all of them. */
  scope(type: ResourceType, alias: string): string | undefined {
    const conditions = this.#scopes.get(type) ?? []
    if (conditions.length === 0) return undefined
    if (this.#scoping.has(type)) {
      const names = [...this.#scoping, type].map((one) => `'${one.name}'`).join(', ')
      throw new Error(`The scopes of ${names} ask for each other: no statement can follow them.`)
    }
    this.#scoping.add(type)
    const scope = this.where(conditions, type, alias)
    this.#scoping.delete(type)
    return scope
  }

  where(conditions: readonly Condition[], type: ResourceType, alias: string): string {
    return conditions.map((condition) => this.condition(condition, type, alias)).join(' and ') || 'true'
  }

  condition(condition: Condition, type: ResourceType, alias: string): string {
    switch (condition.kind) {
      case 'and':
        return `(${this.where(condition.conditions, type, alias)})`
      case 'or':
        return `(${condition.conditions.map((one) => this.condition(one, type, alias)).join(' or ') || 'false'})`
      case 'not':
        return `not coalesce(${this.condition(condition.condition, type, alias)}, false)`
      case 'never':
        return 'false'
      case 'null':
        return `${this.column(type, condition.property, alias)} is null`
      case 'in':
      case 'compare':
      case 'text':
        return this.#predicate(condition, type, alias)
      case 'exists':
        return this.#exists(condition.relation, condition.condition, alias)
      case 'pivot':
        return this.ofPivot(condition.condition, this.#pivotOf(alias))
      case 'native':
        return this.#native(condition.filter as object, type, alias)
    }
  }

  isAnyOf(type: ResourceType, property: string, values: readonly unknown[], alias: string): string {
    return this.#predicate({ kind: 'in', property, values }, type, alias)
  }

  #predicate(condition: Parameters<typeof predicate>[0], type: ResourceType, alias: string): string {
    const column = this.column(type, condition.property, alias)
    const columns = columnType(this.property(type, condition.property))
    return predicate(condition, columns, column, (read, cast) =>
      this.take(condition, read as (condition: object) => unknown, cast),
    )
  }

  /** The association rows of a relation are rows of an entity like any other. */
  ofPivot(condition: Condition, { meta, alias }: Pivot): string {
    return this.condition(condition, rowsOf(meta), alias)
  }

  #pivotOf(alias: string): Pivot {
    return this.#pivots.get(alias) as Pivot
  }

  /** What rows are ordered by: a column of their own, or of the association rows they are reached through. */
  ordered({ property, pivot }: SortTerm, type: ResourceType, alias: string): string {
    if (!pivot) return this.column(type, property, alias)
    const { meta, alias: rows } = this.#pivotOf(alias)
    return this.column(rowsOf(meta), property, rows)
  }

  #exists(relation: Relation, condition: Condition | undefined, alias: string): string {
    const { target } = relation
    const inner = this.alias()
    const { from, on } = this.join(relation, alias, inner)
    const scope = this.scope(target, inner)
    const parts = [on, ...(scope ? [scope] : []), ...(condition ? [this.condition(condition, target, inner)] : [])]
    return `exists (select 1 from ${from} where ${parts.join(' and ')})`
  }

  /** How the rows of a relation hang on a parent: what to select from, and the condition that ties it to the parent. */
  join(relation: Relation, parent: string, inner: string): { from: string; on: string } {
    const { owner, target, property, kind } = relation
    if (kind === 'belongsTo') {
      const on = `${this.key(target, inner)} = ${this.column(owner, property as string, parent)}`
      return { from: `${this.table(target)} ${inner}`, on }
    }
    const { from, parentKey } = this.link(relation, inner)
    return { from, on: `${parentKey} = ${this.key(owner, parent)}` }
  }

  /** The target's table, joined to its pivot table where there is one, and the column holding the parent's key. */
  link({ owner, target, property }: Relation, inner: string): Link {
    const prop = this.property(owner, property as string)
    const table = `${this.table(target)} ${inner}`
    if (prop.kind !== 'm:n') return { from: table, parentKey: this.column(target, prop.mappedBy as string, inner) }
    const pivot = this.alias()
    const owning = prop.owner ? prop : (prop.targetMeta?.properties[prop.mappedBy as never] as EntityProperty)
    const [mine, theirs] = prop.owner
      ? [owning.joinColumns[0], owning.inverseJoinColumns[0]]
      : [owning.inverseJoinColumns[0], owning.joinColumns[0]]
    const on = `${pivot}.${quote(theirs as string)} = ${this.key(target, inner)}`
    const meta = this.unit.orm.getMetadata().get(owning.pivotEntity)
    const rows: Pivot = { alias: pivot, meta, sides: [mine as string, theirs as string] }
    this.#pivots.set(inner, rows)
    return {
      from: `${tableOf(meta)} ${pivot} join ${table} on ${on}`,
      parentKey: `${pivot}.${quote(mine as string)}`,
      pivot: rows,
    }
  }

  /** A plain filter becomes conditions; any other is MikroORM's own subselect, with its parameters bound here. */
  #native(filter: object, type: ResourceType, alias: string): string {
    this.isUnique = true
    const plain = plainFilter(filter, this.meta(type))
    if (plain) return this.condition(plain, type, alias)
    const { sql, params } = this.unit.em
      .createQueryBuilder(type.entity)
      .select(type.id.property as never)
      .where(filter as never)
      .toQuery()
    const values = [...params]
    const text = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\\\?|\?/g, (token) =>
      token === '?' ? this.bind(values.shift()) : token === '\\?' ? '?' : token,
    )
    return `${this.key(type, alias)} in (${text})`
  }
}

/** Rows that are no resources, for what is only asked of their columns. */
export function rowsOf({ class: entity }: EntityMetadata): ResourceType {
  return { entity: entity as EntityClass<object> } as ResourceType
}

/** How the rows of a relation are reached from the keys of its parents. */
export interface Link {
  readonly from: string
  readonly parentKey: string
  /** The association rows of a many-to-many. */
  readonly pivot?: Pivot
}

export interface Pivot {
  readonly alias: string
  readonly meta: EntityMetadata
  /** The columns holding the parent's key and the member's. */
  readonly sides: readonly [parent: string, member: string]
}

export function metaOf({ entity }: Pick<ResourceType, 'entity'>, orm: Orm): EntityMetadata {
  return orm.getMetadata().get(entity)
}

const first = (keys: readonly unknown[]) => keys[0]
const itself = (keys: readonly unknown[]) => keys

export function tableOf({ schema, tableName }: EntityMetadata): string {
  return schema ? `${quote(schema)}.${quote(tableName)}` : quote(tableName)
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
