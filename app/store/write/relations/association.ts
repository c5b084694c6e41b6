import type { Relation } from '#kernel/store'
import { quoteIdentifier } from '../../sql/columns/column-sql.ts'
import { type Compiler, type Pivot, rowsOf } from '../../sql/compiler.ts'

/** The join table of a many-to-many in a statement. */
export interface Association extends Pivot {
  readonly table: string
  /** The condition that the member of a pivot row is visible. Empty if all members are. */
  visible(): readonly string[]
}

export function createAssociation(compiler: Compiler, relation: Relation): Association {
  const { target } = relation
  const inner = compiler.alias()
  const { meta, sides, alias } = compiler.relationSource(relation, inner).pivot as Pivot
  const member = `${compiler.key(target, inner)} = ${alias}.${quoteIdentifier(sides[1])}`
  const visible = () => {
    const scope = compiler.scope(target, inner)
    return scope ? [`exists (select 1 from ${compiler.table(target)} ${inner} where ${member} and ${scope})`] : []
  }
  return { alias, meta, sides, table: compiler.table(rowsOf(meta)), visible }
}
