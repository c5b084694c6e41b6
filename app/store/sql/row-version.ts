import type { EntityMetadata } from '@mikro-orm/core'
import { type Attribute, getOrCreate, type Relation, type ResourceType } from '#kernel/store'
import { type Compiler, propertyOf, quote } from './compiler.ts'

/**
 * The version of a row: MikroORM's version property if the entity has one, otherwise `xmin`, the transaction that
 * wrote the row; a view has no `xmin` and is digested. The versions of the rows that chained attributes write follow.
 */
export function rowVersion(compiler: Compiler, type: ResourceType, alias: string): string {
  const chains = writtenChains(type).map((attribute) => chainVersion(compiler, type, attribute.on ?? [], alias))
  return [versionOf(compiler.meta(type), alias), ...chains].join(" || '.' || ")
}

/**
 * One attribute for each chain of relations at whose end an update may write. Excludes chains through types whose rows
 * are shown or hidden one by one: their version would reveal rows that are hidden from the requester.
 */
export function writtenChains(type: ResourceType): readonly Attribute[] {
  return getOrCreate(chainsOf, type, ({ attributes }) => {
    const written = attributes.filter(
      ({ on, readOnlyOnUpdate }) => on && readOnlyOnUpdate !== true && !isFiltered(type, on),
    )
    return [...new Map(written.map((attribute) => [attribute.on?.join('.'), attribute])).values()]
  })
}

function isFiltered(type: ResourceType, on: readonly string[]): boolean {
  let current = type
  return on.some((name) => {
    current = (current.fields.get(name) as Relation).target
    return current.checksEachRow
  })
}

const chainsOf = new WeakMap<ResourceType, readonly Attribute[]>()

/** A text without hyphens, which separate the version from the digest in an entity tag. */
function versionOf(meta: EntityMetadata, alias: string): string {
  if (meta.view) return `md5(${alias}::text)`
  if (!meta.versionProperty) return `${alias}.xmin::text`
  const { fieldNames, runtimeType } = propertyOf(meta, meta.versionProperty)
  const column = `${alias}.${quote(fieldNames[0] as string)}`
  return runtimeType === 'Date' ? `(extract(epoch from ${column}) * 1000000)::int8::text` : `${column}::text`
}

/** The version of the row at the end of a chain. Zero if a row on the chain is missing or out of scope. */
function chainVersion(compiler: Compiler, type: ResourceType, on: readonly string[], alias: string): string {
  const [first, ...rest] = on
  if (first === undefined) return versionOf(compiler.meta(type), alias)
  const relation = type.fields.get(first) as Relation
  const inner = compiler.alias()
  const { from, on: joined } = compiler.join(relation, alias, inner)
  const where = [joined, ...compiler.filters(relation.target, inner)].join(' and ')
  const version = chainVersion(compiler, relation.target, rest, inner)
  return `coalesce((select ${version} from ${from} where ${where}), '0')`
}
