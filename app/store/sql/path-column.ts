import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { ResourceType } from '#kernel/store'
import { readable } from './column-types.ts'
import { type Compiler, propertyOf, rowsOf, tableOf } from './compiler.ts'

/**
 * The SQL expression of a dotted path over to-one properties (`owner.email`). It ignores scopes, because the value is only
 * read by plugins and never rendered.
 */
export function pathColumn(compiler: Compiler, type: ResourceType, path: string, alias: string): string {
  const [name = '', ...rest] = path.split('.')
  const property = compiler.property(type, name)
  if (rest.length === 0) return readable(compiler.column(type, name, alias), property, compiler.platform)
  const target = property.targetMeta as EntityMetadata
  if (isForeignKey(property) && rest.join('.') === target.primaryKeys[0]) return compiler.column(type, name, alias)
  const inner = compiler.alias()
  const rows = rowsOf(target)
  const value = pathColumn(compiler, rows, rest.join('.'), inner)
  const on = isForeignKey(property)
    ? `${compiler.column(rows, primaryKey(target), inner)} = ${compiler.column(type, name, alias)}`
    : `${compiler.column(rows, property.mappedBy as string, inner)} = ${compiler.column(type, primaryKey(compiler.meta(type)), alias)}`
  return `(select ${value} from ${tableOf(target)} ${inner} where ${on})`
}

export function pathEnd(meta: EntityMetadata, path: string): EntityProperty {
  const [name = '', ...rest] = path.split('.')
  const property = propertyOf(meta, name)
  return rest.length === 0 ? property : pathEnd(property.targetMeta as EntityMetadata, rest.join('.'))
}

function isForeignKey({ kind, owner }: EntityProperty): boolean {
  return kind === 'm:1' || (kind === '1:1' && owner === true)
}

function primaryKey({ primaryKeys }: EntityMetadata): string {
  return primaryKeys[0] as string
}
