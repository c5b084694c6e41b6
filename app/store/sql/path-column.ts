import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import { readable } from './column-types.ts'
import { type Compiler, propertyOf, type RowsOfEntity, rowsOf, tableExpression } from './compiler.ts'

/**
 * The SQL expression of a dotted path over to-one properties (`owner.email`). It ignores scopes, because the value is only
 * read by plugins and never rendered.
 */
export function pathColumn(compiler: Compiler, rows: RowsOfEntity, path: string, alias: string): string {
  const [name = '', ...rest] = path.split('.')
  const property = compiler.property(rows, name)
  if (rest.length === 0) return readable(compiler.column(rows, name, alias), property, compiler.platform)
  const target = property.targetMeta as EntityMetadata
  if (isForeignKey(property) && rest.join('.') === target.primaryKeys[0]) return compiler.column(rows, name, alias)
  const inner = compiler.alias()
  const related = rowsOf(target)
  const value = pathColumn(compiler, related, rest.join('.'), inner)
  const on = isForeignKey(property)
    ? `${compiler.column(related, primaryKey(target), inner)} = ${compiler.column(rows, name, alias)}`
    : `${compiler.column(related, property.mappedBy as string, inner)} = ${compiler.column(rows, primaryKey(compiler.meta(rows)), alias)}`
  return `(select ${value} from ${tableExpression(target)} ${inner} where ${on})`
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
