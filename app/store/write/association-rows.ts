import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Context, RelatedMember, Relation } from '#kernel/store'
import { compileMembers, discriminatorOf, positionProperty } from '../read/polymorphic.ts'
import { associationOf } from '../sql/association.ts'
import { Compiler, quote, rowsOf } from '../sql/compiler.ts'
import { resolveScopes } from '../sql/scopes.ts'
import { unitOf } from '../unit.ts'

/** The association rows of one parent, described for one statement. */
export interface AssociationRows {
  readonly compiler: Compiler
  readonly meta: EntityMetadata
  readonly alias: string
  /** The properties that refer to the parent and to the member. */
  readonly back: EntityProperty
  readonly member: EntityProperty
  /** The columns of the member; their values identify it. */
  readonly memberColumns: readonly string[]
  readonly ofParent: string
  /** Whether the requester sees the member of a row. */
  readonly visible: string
  /** The number that orders the rows; null if they have none. */
  readonly position: string | null
  isNamed(members: readonly RelatedMember[]): string
  /** The same text for a member as its columns have in a row. */
  nameOf(member: RelatedMember): string
}

export function describeRows(relation: Relation, parentKey: unknown, context: Context): Promise<AssociationRows> {
  return relation.kind === 'morphToMany'
    ? describeMixedRows(relation, parentKey, context)
    : describePivotRows(relation, parentKey, context)
}

/** Members of one type. */
async function describePivotRows(relation: Relation, parentKey: unknown, context: Context): Promise<AssociationRows> {
  const compiler = new Compiler(unitOf(context), await resolveScopes([relation.target], [], context))
  const { alias, meta, sides, visible } = associationOf(compiler, relation)
  const [mine, theirs] = sides.map((side) => `${alias}.${quote(side)}`) as [string, string]
  return {
    compiler,
    meta,
    alias,
    back: referenceIn(meta, sides[0]),
    member: referenceIn(meta, sides[1]),
    memberColumns: [theirs],
    ofParent: `${mine} = any(${compiler.bind([parentKey])})`,
    visible: visible().join(' and ') || 'true',
    position: null,
    isNamed: (members) => `${theirs} = any(${compiler.bind(members.map(({ key }) => key))})`,
    nameOf: ({ key }) => String(key),
  }
}

function referenceIn({ props }: EntityMetadata, column: string): EntityProperty {
  return props.find(({ kind, fieldNames }) => kind === 'm:1' && fieldNames[0] === column) as EntityProperty
}

/** Members of several types, each named by a discriminator and a key. */
async function describeMixedRows(relation: Relation, parentKey: unknown, context: Context): Promise<AssociationRows> {
  const { compiler, association, collection, alias, back, member, discriminator, key, visible } = await compileMembers(
    relation,
    context,
  )
  return {
    compiler,
    meta: association,
    alias,
    back,
    member,
    memberColumns: [discriminator, key],
    ofParent: `${compiler.column(rowsOf(association), back.name, alias)} = any(${compiler.bind([parentKey])})`,
    visible: `(${visible})`,
    position: positionProperty(collection, association),
    isNamed(members) {
      const byType = Map.groupBy(members, ({ type }) => discriminatorOf(type, member))
      const named = [...byType].map(([name, list]) => {
        const keys = compiler.bind(list.map((one) => one.key))
        return `${discriminator} = ${compiler.bind(name)} and ${key} = any(${keys})`
      })
      return named.length === 0 ? 'false' : `(${named.join(' or ')})`
    },
    nameOf: (one) => `${discriminatorOf(one.type, member)} ${String(one.key)}`,
  }
}
