import type { Context, LinkageChange, Relation, ResourceType } from '#kernel'
import { startAssociation } from './association.ts'
import { columnType } from './columns.ts'
import { type Compiler, quote } from './compiler.ts'
import { run } from './unit.ts'

/** Rows of a join table that hold nothing but the two keys. */
export async function relatePairs(
  relation: Relation,
  parent: object,
  { mode, members }: LinkageChange,
  context: Context,
): Promise<void> {
  const keys = members.map(({ key }) => key)
  if (mode !== 'add') await removePairs(relation, parent, keys, mode === 'remove', context)
  if (mode !== 'remove' && keys.length > 0) await addPairs(relation, parent, keys, context)
}

/** A pair somebody else adds at the same time is there, and that is all that is asked. */
async function addPairs(relation: Relation, parent: object, keys: readonly unknown[], context: Context): Promise<void> {
  const { owner, target } = relation
  const { compiler, alias, table, sides } = await startAssociation(relation, context)
  const [mine, theirs] = sides.map(quote) as [string, string]
  const from = compiler.bind(owner.persister.keyOf(owner, parent), castOf(compiler, owner))
  const to = `unnest(${compiler.bind(keys, listCastOf(compiler, target))})`
  const there = `select 1 from ${table} ${alias} where ${alias}.${mine} = ${from} and ${alias}.${theirs} = "key"`
  const sql = `insert into ${table} (${mine}, ${theirs}) select ${from}, "key" from ${to} "key" where not exists (${there}) on conflict do nothing`
  await run(sql, compiler.parameters, context)
}

async function removePairs(
  relation: Relation,
  parent: object,
  keys: readonly unknown[],
  named: boolean,
  context: Context,
): Promise<void> {
  const { owner, target } = relation
  const { compiler, alias, table, sides, visible } = await startAssociation(relation, context)
  const [mine, theirs] = sides.map((side) => `${alias}.${quote(side)}`) as [string, string]
  const key = compiler.bind(owner.persister.keyOf(owner, parent), castOf(compiler, owner))
  const listed = `${theirs} = any(${compiler.bind(keys, listCastOf(compiler, target))})`
  const conditions = [`${mine} = ${key}`, named ? listed : `not ${listed}`, ...visible()]
  await run(`delete from ${table} ${alias} where ${conditions.join(' and ')}`, compiler.parameters, context)
}

function castOf(compiler: Compiler, type: ResourceType): string {
  return columnType(compiler.property(type, type.id.property)).cast
}

function listCastOf(compiler: Compiler, type: ResourceType): string {
  const { cast, listCast = `${cast}[]` } = columnType(compiler.property(type, type.id.property))
  return listCast
}
