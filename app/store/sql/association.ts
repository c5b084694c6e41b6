import type { Relation } from '#kernel/store'
import { type Compiler, type Pivot, quote, rowsOf } from './compiler.ts'

/** The association rows of a many-to-many, as a statement speaks of them. */
export interface Association extends Pick<Pivot, 'meta' | 'sides' | 'alias'> {
  readonly table: string
  /** That the member of a row may be seen by the requester: a condition, or none when that is true of all. */
  visible(): readonly string[]
}

export function associationOf(compiler: Compiler, relation: Relation): Association {
  const { target } = relation
  const inner = compiler.alias()
  const { meta, sides, alias } = compiler.link(relation, inner).pivot as Pivot
  const member = `${compiler.key(target, inner)} = ${alias}.${quote(sides[1])}`
  const visible = () => {
    const scope = compiler.scope(target, inner)
    return scope ? [`exists (select 1 from ${compiler.table(target)} ${inner} where ${member} and ${scope})`] : []
  }
  return { alias, meta, sides, table: compiler.table(rowsOf(meta)), visible }
}
