import type { Context, Relation } from '#kernel'
import { Compiler, type Pivot, quote, rowsOf } from './compiler.ts'
import { resolveScopes } from './scopes.ts'
import { unitOf } from './unit.ts'

/** A statement about the association rows of a many-to-many. */
export interface Association extends Pick<Pivot, 'meta' | 'sides'> {
  readonly compiler: Compiler
  readonly alias: string
  readonly table: string
  /** That the member of a row may be seen by the requester: a condition, or none when that is true of all. */
  visible(): readonly string[]
}

export async function startAssociation(relation: Relation, context: Context): Promise<Association> {
  const { target } = relation
  const compiler = new Compiler(unitOf(context), await resolveScopes([target], [], context))
  const inner = compiler.alias()
  const { meta, sides, alias } = compiler.link(relation, inner).pivot as Pivot
  const member = `${compiler.key(target, inner)} = ${alias}.${quote(sides[1])}`
  const visible = () => {
    const scope = compiler.scope(target, inner)
    return scope ? [`exists (select 1 from ${compiler.table(target)} ${inner} where ${member} and ${scope})`] : []
  }
  return { compiler, alias, meta, sides, table: compiler.table(rowsOf(meta)), visible }
}
