import type { Context, LinkageChange, RelatedKey, Relation, ResourceType } from '#kernel/store'
import { columnType, listCastOf } from '../../sql/column-types.ts'
import { quoteIdentifier } from '../../sql/columns/column-sql.ts'
import type { Compiler } from '../../sql/compiler.ts'
import { runStatement } from '../../sql/run-statement.ts'
import { createStatement, type Slot, StatementBuilder } from '../../sql/statement-builder.ts'
import { unitOf } from '../../unit.ts'
import { type Association, createAssociation } from './association.ts'

/** The keys of the parent and of its members. */
interface Pairs {
  readonly parent: unknown
  readonly keys: readonly unknown[]
}

/** Changes the rows of a join table that holds only the two keys. */
export async function relateByJoinTable(
  relation: Relation,
  parent: object,
  { mode, members }: LinkageChange,
  context: Context,
): Promise<void> {
  const pairs = toPairs(relation, parent, members)
  if (mode !== 'add') await removePairs(relation, pairs, mode === 'remove', context)
  if (mode !== 'remove' && members.length > 0) await addPairs(relation, pairs, context)
}

async function addPairs(relation: Relation, pairs: Pairs, context: Context): Promise<void> {
  const statement = new StatementBuilder(unitOf(context))
  const slot = statement.add('add', pairs)
  await runStatement(relation, statement, (compiler) => {
    const { parent, keys } = bind(compiler, relation, slot)
    return insertText(createAssociation(compiler, relation), {
      parent,
      member: 'm.key',
      from: `unnest(${keys}) as m(key)`,
    })
  })
}

/**
 * Locks the parent and adds the pairs, if the requester sees the parent and all of the members. Otherwise adds nothing
 * and returns false.
 */
export async function addVisiblePairs(
  relation: Relation,
  parentKey: unknown,
  members: readonly RelatedKey[],
  context: Context,
): Promise<boolean> {
  const { owner, target } = relation
  const pairs: Pairs = { parent: parentKey, keys: members.map(({ key }) => key) }
  const statement = await createStatement(target, [owner, target], [], context, [owner])
  const slot = statement.add('add visible', pairs)
  const compile = (compiler: Compiler): string => {
    const { parent, keys } = bind(compiler, relation, slot)
    const count = compiler.bindFrom(slot, ({ keys }) => keys.length, 'int4')
    const visible = visibleKeys(compiler, target, (key) => `${key} = any(${keys})`)
    const locked = `${visibleKeys(compiler, owner, (key) => `${key} = ${parent}`)} for no key update`
    const areAll = `(select count(*) from "#visible") = ${count}`
    const pair = { parent: '"#locked".key', member: '"#visible".key', from: '"#locked", "#visible"' }
    const added = insertText(createAssociation(compiler, relation), pair, areAll)
    const steps = `"#locked" as (${locked}), "#visible" as (${visible}), "#added" as (${added})`
    return `with ${steps} select 1 as added from "#locked" where ${areAll}`
  }
  const added = await runStatement(relation, statement, compile, 'write')
  return added.length > 0
}

/** Selects the keys of rows that the requester sees. */
function visibleKeys(compiler: Compiler, type: ResourceType, condition: (key: string) => string): string {
  const alias = compiler.alias()
  const key = compiler.key(type, alias)
  const where = [condition(key), ...compiler.filters(type, alias)].join(' and ')
  return `select ${key} as key from ${compiler.table(type)} ${alias} where ${where}`
}

interface PairSource {
  /** The expressions of the two keys. A column is qualified: the join table may have a column with its name. */
  readonly parent: string
  readonly member: string
  readonly from: string
}

/** Skips pairs that exist, and pairs that a concurrent transaction adds (race condition). */
function insertText({ alias, table, sides }: Association, source: PairSource, condition = 'true'): string {
  const { parent, member, from } = source
  const [parentColumn, memberColumn] = sides.map(quoteIdentifier) as [string, string]
  const isSamePair = `${alias}.${parentColumn} = ${parent} and ${alias}.${memberColumn} = ${member}`
  const isNew = `not exists (select 1 from ${table} ${alias} where ${isSamePair})`
  const pairs = `select ${parent}, ${member} from ${from} where ${condition} and ${isNew}`
  return `insert into ${table} (${parentColumn}, ${memberColumn}) ${pairs} on conflict do nothing`
}

async function removePairs(relation: Relation, pairs: Pairs, named: boolean, context: Context): Promise<void> {
  const { target } = relation
  const statement = await createStatement(target, [target], [], context)
  const slot = statement.add(named ? 'remove' : 'keep', pairs)
  await runStatement(relation, statement, (compiler) => {
    const { alias, table, sides, visible } = createAssociation(compiler, relation)
    const [parentColumn, memberColumn] = sides.map((side) => `${alias}.${quoteIdentifier(side)}`) as [string, string]
    const { parent, keys } = bind(compiler, relation, slot)
    const isNamed = `${memberColumn} = any(${keys})`
    const conditions = [`${parentColumn} = ${parent}`, named ? isNamed : `not ${isNamed}`, ...visible()]
    return `delete from ${table} ${alias} where ${conditions.join(' and ')}`
  })
}

function toPairs({ owner }: Relation, parent: object, members: readonly RelatedKey[]): Pairs {
  return { parent: owner.persister.keyOf(owner, parent), keys: members.map(({ key }) => key) }
}

function bind(compiler: Compiler, { owner, target }: Relation, pairs: Slot<Pairs>): { parent: string; keys: string } {
  const parentType = columnType(compiler.property(owner, owner.id.property))
  const memberType = columnType(compiler.property(target, target.id.property))
  return {
    parent: compiler.bindFrom(pairs, ({ parent }) => parent, parentType.cast),
    keys: compiler.bindFrom(pairs, ({ keys }) => keys, listCastOf(memberType)),
  }
}
