import type { Action, OperationKind, Relation, ResourceType } from '#kernel/plugin'
import type { DescribedOperation } from '#openapi'
import { relationNoun, toNouns, toVerb, withArticle } from '../nouns.ts'

/** A short text and the sentences below it. */
interface OperationText {
  readonly summary: string
  /** Used if neither the type nor a plugin describes the operation. */
  readonly description: string
}

export function writeSummary(kind: OperationKind, type: ResourceType, relation: Relation | null): string {
  return findText(kind, type, relation).summary
}

/** `Reissue an album`, for an action that is named by a verb. */
export function actionSummary(action: Action): string {
  const { singular, plural } = toNouns(action.type)
  return `${toVerb(action)} ${action.on === 'resource' ? withArticle(singular) : plural}`
}

/** Returns the description by the first that has one: `describeOperation`, `descriptions`, a plugin, the default. */
export function writeDescription({ kind, type, relation, object }: DescribedOperation): string {
  if (!kind || !type) return object.description
  const { describeOperation, descriptions } = type.declaration
  return (
    describeOperation?.(kind, relation?.name) ??
    descriptions?.[kind] ??
    (object.description || actionDescriptions[kind] || findText(kind, type, relation).description)
  )
}

/**
 * Names the principal for whom the example of a request succeeds: that of the type, else of a related type. Empty if
 * anonymous requesters may send it, or none is declared.
 */
export function examplePrincipalText({ anonymous, type, relation }: DescribedOperation): string {
  const types = anonymous || !type ? [] : [type, ...(relation?.targets ?? [])]
  const [name] = types.flatMap(({ declaration }) => declaration.examplePrincipal ?? [])
  return name === undefined ? '' : `The example succeeds for the principal \`${name}\`.`
}

const actionDescriptions: Partial<Record<OperationKind, string>> = {
  Action: 'Runs the action in one transaction.',
  FetchAction: 'Runs the action, which changes nothing.',
}

function findText(kind: OperationKind, type: ResourceType, relation: Relation | null): OperationText {
  if (!relation) return resourceTexts[kind as keyof typeof resourceTexts](type)
  const texts = relation.toMany ? toManyTexts : toOneTexts
  return texts[kind as keyof typeof texts](relationNoun(relation), toNouns(type).singular)
}

const resourceTexts = {
  FetchCollection(type: ResourceType): OperationText {
    const { plural } = toNouns(type)
    return { summary: `List ${plural}`, description: `Returns the ${plural} that the requester may see.` }
  },
  FetchOne(type: ResourceType): OperationText {
    const { singular } = toNouns(type)
    return { summary: `Fetch ${withArticle(singular)}`, description: `Returns the ${singular} with this id.` }
  },
  Create(type: ResourceType): OperationText {
    const one = withArticle(toNouns(type).singular)
    return { summary: `Create ${one}`, description: `Creates ${one}.` }
  },
  Update: (type: ResourceType): OperationText => ({
    summary: `Update ${withArticle(toNouns(type).singular)}`,
    description: 'Changes the attributes and relationships that are sent; all others keep their values.',
  }),
  Delete(type: ResourceType): OperationText {
    const { singular } = toNouns(type)
    return { summary: `Delete ${withArticle(singular)}`, description: `Deletes the ${singular}.` }
  },
}

const toManyTexts = {
  FetchRelated: (members: string, owner: string): OperationText => ({
    summary: `List the ${members} of ${withArticle(owner)}`,
    description: `Returns the ${members} of the ${owner} that the requester may see.`,
  }),
  FetchRelationship: (members: string, owner: string): OperationText => ({
    summary: `List the ids of the ${members} of ${withArticle(owner)}`,
    description: `Returns the type and id of each of the ${members}.`,
  }),
  UpdateRelationship: (members: string, owner: string): OperationText => ({
    summary: `Replace the ${members} of ${withArticle(owner)}`,
    description: `Replaces all ${members} of the ${owner}.`,
  }),
  AddToRelationship: (members: string, owner: string): OperationText => ({
    summary: `Add ${members} to ${withArticle(owner)}`,
    description: `Adds ${members} to the ${owner} and keeps the existing ones.`,
  }),
  RemoveFromRelationship: (members: string, owner: string): OperationText => ({
    summary: `Remove ${members} from ${withArticle(owner)}`,
    description: `Removes ${members} from the ${owner}; ignores resources that are not members.`,
  }),
}

const toOneTexts = {
  FetchRelated: (member: string, owner: string): OperationText => ({
    summary: `Fetch the ${member} of ${withArticle(owner)}`,
    description: `Returns the ${member} of the ${owner}; null if it has none.`,
  }),
  FetchRelationship: (member: string, owner: string): OperationText => ({
    summary: `Fetch the id of the ${member} of ${withArticle(owner)}`,
    description: `Returns the type and id of the ${member}; null if the ${owner} has none.`,
  }),
  UpdateRelationship: (member: string, owner: string): OperationText => ({
    summary: `Set the ${member} of ${withArticle(owner)}`,
    description: `Replaces the ${member} of the ${owner}.`,
  }),
}
