import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Context, RelatedMember, Relation } from '#kernel/store'
import { compileAssociation, findDiscriminator, positionProperty } from '../../read/polymorphic.ts'
import { quoteIdentifier } from '../../sql/columns/column-sql.ts'
import { Compiler } from '../../sql/compiler.ts'
import { collectScopes } from '../../sql/scopes.ts'
import { unitOf } from '../../unit.ts'
import { createAssociation } from './association.ts'

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

/** Describes rows with members of one type, or of several types if the relation is polymorphic. */
export function describeRows(relation: Relation, parentKey: unknown, context: Context): Promise<AssociationRows> {
  return relation.kind === 'morphToMany'
    ? describePolymorphicRows(relation, parentKey, context)
    : describePivotRows(relation, parentKey, context)
}

async function describePivotRows(relation: Relation, parentKey: unknown, context: Context): Promise<AssociationRows> {
  const compiler = new Compiler(unitOf(context), await collectScopes([relation.target], [], context))
  const { alias, meta, sides, visible } = createAssociation(compiler, relation)
  const [parentColumn, memberColumn] = sides.map((side) => `${alias}.${quoteIdentifier(side)}`) as [string, string]
  return {
    compiler,
    meta,
    alias,
    back: foreignKeyIn(meta, sides[0]),
    member: foreignKeyIn(meta, sides[1]),
    memberColumns: [memberColumn],
    ofParent: `${parentColumn} = any(${compiler.bind([parentKey])})`,
    visible: visible().join(' and ') || 'true',
    position: null,
    isNamed: (members) => `${memberColumn} = any(${compiler.bind(members.map(({ key }) => key))})`,
    nameOf: ({ key }) => String(key),
  }
}

function foreignKeyIn({ props }: EntityMetadata, column: string): EntityProperty {
  return props.find(({ kind, fieldNames }) => kind === 'm:1' && fieldNames[0] === column) as EntityProperty
}

async function describePolymorphicRows(
  relation: Relation,
  parentKey: unknown,
  context: Context,
): Promise<AssociationRows> {
  const rows = await compileAssociation(relation, context)
  const { compiler, association, collection, alias, back, member, discriminator, key, visible } = rows
  return {
    compiler,
    meta: association,
    alias,
    back,
    member,
    memberColumns: [discriminator, key],
    ofParent: `${rows.parentKey} = any(${compiler.bind([parentKey])})`,
    visible,
    position: positionProperty(collection, association),
    isNamed(members) {
      const byDiscriminator = Map.groupBy(members, ({ type }) => findDiscriminator(type, member))
      const alternatives = [...byDiscriminator].map(([name, named]) => {
        const keys = compiler.bind(named.map((member) => member.key))
        return `${discriminator} = ${compiler.bind(name)} and ${key} = any(${keys})`
      })
      return `(${alternatives.join(' or ') || 'false'})`
    },
    nameOf: (named) => `${findDiscriminator(named.type, member)} ${String(named.key)}`,
  }
}
