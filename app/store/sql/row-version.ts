import type { EntityMetadata } from '@mikro-orm/core'
import type { Attribute, Relation, ResourceType } from '#kernel/store'
import { quoteIdentifier } from './columns/column-sql.ts'
import { type Compiler, propertyOf } from './compiler.ts'

declare module '#kernel/store' {
  interface ResourceType {
    /** Set when a version is first read: after plugins have declared abilities to read relations. */
    writtenChains?: readonly Attribute[]
  }
}

/**
 * The version of a row: MikroORM's version property if the entity has one, otherwise `xmin`, the transaction that
 * wrote the row. The versions of the rows that chained attributes write follow. A view has no `xmin`: the text of the whole
 * row stands for it, in parentheses, which no other version has. It must be digested with a key before it is shown.
 */
export function rowVersion(compiler: Compiler, type: ResourceType, alias: string): string {
  const chains = writtenChains(type).map((attribute) => chainVersion(compiler, type, attribute, alias))
  return [versionSql(compiler.meta(type), alias), ...chains].join(" || '.' || ")
}

/**
 * One attribute for each chain of relations at whose end an update may write. Excludes chains that a requester may not
 * read: the version would reveal the row at their end. Attributes over a hidden relation are parts of the version by themselves.
 */
export function writtenChains(type: ResourceType): readonly Attribute[] {
  type.writtenChains ??= findWrittenChains(type)
  return type.writtenChains
}

function findWrittenChains(type: ResourceType): readonly Attribute[] {
  const written = type.attributes.filter(
    (attribute) => attribute.readOnlyOnUpdate !== true && isReadByAll(type, attribute),
  )
  const rowKey = (attribute: Attribute) => (showsRow(type, attribute) ? attribute.on?.join('.') : attribute)
  return [...new Map(written.map((attribute) => [rowKey(attribute), attribute])).values()]
}

/** Whether every requester sees the attribute, and its row or at least its stored value. */
function isReadByAll(type: ResourceType, attribute: Attribute): boolean {
  const { on, hidden, hiddenFor, writeOnly } = attribute
  if (!on || hidden !== false || hiddenFor || writeOnly !== false) return false
  if (relationsOnPath(type, on).some(({ hasReadAbility, target }) => hasReadAbility || target.filtersRowsAfterRead))
    return false
  return showsRow(type, attribute) || isShownUnchanged(attribute)
}

/** Whether no relation on the chain is hidden. */
function showsRow(type: ResourceType, { on }: Attribute): boolean {
  return relationsOnPath(type, on ?? []).every(({ hidden, hiddenFor }) => hidden === false && !hiddenFor)
}

function isShownUnchanged({ extract, serialize, children, variants }: Attribute): boolean {
  return !extract && !serialize && children.length === 0 && variants.size === 0
}

function relationsOnPath(type: ResourceType, on: readonly string[]): readonly Relation[] {
  let owner = type
  return on.map((name) => {
    const relation = owner.fields.get(name) as Relation
    owner = relation.target
    return relation
  })
}

function versionSql(meta: EntityMetadata, alias: string): string {
  if (meta.view) return `${alias}::text`
  if (!meta.versionProperty) return `${alias}.xmin::text`
  const { fieldNames, runtimeType } = propertyOf(meta, meta.versionProperty)
  const column = `${alias}.${quoteIdentifier(fieldNames[0] as string)}`
  return runtimeType === 'Date' ? `(extract(epoch from ${column}) * 1000000)::int8::text` : `${column}::text`
}

/**
 * The version of the row at the end of a chain; a digest of the value that is shown if the row itself is hidden. Zero if
 * a row on the chain is missing or out of scope.
 */
function chainVersion(compiler: Compiler, type: ResourceType, attribute: Attribute, alias: string): string {
  let owner = alias
  const hops = relationsOnPath(type, attribute.on ?? []).map((relation) => {
    const inner = compiler.alias()
    const { from, on } = compiler.join(relation, owner, inner)
    owner = inner
    const where = [on, ...compiler.filters(relation.target, inner)].join(' and ')
    return { target: relation.target, inner, tail: `from ${from} where ${where}` }
  })
  const { target, inner } = hops.at(-1) as (typeof hops)[number]
  const version = showsRow(type, attribute)
    ? versionSql(compiler.meta(target), inner)
    : `md5(coalesce(${compiler.column(target, attribute.property as string, inner)}::text, ''))`
  return hops.reduceRight((selected, { tail }) => `coalesce((select ${selected} ${tail}), '0')`, version)
}
