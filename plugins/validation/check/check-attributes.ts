import { escapePointer, isObject, isWritable, phrase } from '#kernel/plugin'
import type { Member } from '../compile/compiled-attribute.ts'
import { type Flaw, flawsIn } from '../compile/joi-schemas.ts'
import { checkComparisons } from './check-comparisons.ts'
import { counted, flawsOf } from './check-value.ts'
import { type Presence, presenceNow } from './requirement.ts'
import { type Look, pointerTo, sentValue, tell } from './validation-context.ts'

/** Tells everything that is wrong with the members. Those that are read-only or hidden are passed over. */
export function checkMembers(members: readonly Member[], look: Look): void {
  const taken: Member[] = []
  for (const member of members) if (isWritable(member.attribute, look.operation)) taken.push(member)
  for (const member of taken) checkMember(member, sentValue(member, look), look)
  checkComparisons(taken, members, look)
}

function checkMember(member: Member, value: unknown, look: Look): void {
  const { name } = member.attribute
  const presence = member.presence ?? presenceNow(member.rules, value, look)
  if (value === undefined) {
    if (isMissing(member, presence, look)) tell(look, look.place, phrase("'{name}' is required.", { name }))
    return
  }
  if (value === null) {
    if (!presence.nullable) tell(look, pointerTo(member, look), phrase("'{name}' must not be null.", { name }))
    return
  }
  const isOfKind = member.isOfKind(value)
  for (const { path, message, isLast } of isOfKind
    ? flawsOfRight(member, value, presence, look)
    : flawsIn(member.kind, value)) {
    tell(look, pointerTo(member, look) + path.map((step) => `/${escapePointer(String(step))}`).join(''), message)
    if (isLast) look.faults.truncate()
  }
  if (isOfKind && isObject(value)) checkChildren(member, value, pointerTo(member, look), look)
}

/** Flaws of a value of the right kind. Whether it fits its column is checked when it has no others. */
function* flawsOfRight(member: Member, value: unknown, presence: Presence, look: Look): Generator<Flaw> {
  const hasFlaw = yield* counted(ruleFlaws(member, value, presence, look))
  if (!hasFlaw && member.column && !member.fitsColumn(value)) yield* flawsIn(member.column, value)
}

function* ruleFlaws(member: Member, value: unknown, presence: Presence, look: Look): Generator<Flaw> {
  if (presence.demanded.has(look.moment) && isEmpty(value)) {
    yield { path: [], message: phrase("'{name}' must not be empty.", { name: member.attribute.name }) }
  }
  if (member.isRuled) yield* flawsOf(member.rules, value, member, look)
}

/** What is stored need not be sent again; only `requiredOnUpdate` minds that nothing is stored. */
function isMissing({ attribute: { name, property } }: Member, { asked, demanded }: Presence, look: Look): boolean {
  if (look.moment === 'onCreate') return demanded.has('onCreate')
  return asked.has('onUpdate') && (look.stored?.[property ?? name] ?? null) === null
}

function isEmpty(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)
}

function checkChildren(member: Member, value: Readonly<Record<string, unknown>>, pointer: string, look: Look): void {
  const { kind, property, discriminator } = member.attribute
  const inside = { ...look, place: pointer, sent: value }
  const before = property ? look.stored?.[property] : undefined
  const stored = isObject(before) ? before : null
  if (kind === 'map') checkMembers(member.children, inside)
  if (kind === 'obj') checkMembers(member.children, { ...inside, stored, moment: stored ? look.moment : 'onCreate' })
  if (kind !== 'oneOf') return

  const selected = value[discriminator] ?? stored?.[discriminator]
  const children = typeof selected === 'string' ? member.variants.get(selected) : undefined
  if (!children) {
    const at = discriminator in value ? `${pointer}/${escapePointer(discriminator)}` : pointer
    const constants = [...member.variants.keys()]
    tell(look, at, phrase("'{member}' must be one of {constants}.", { member: discriminator, constants }))
    return
  }
  const isSame = stored !== null && stored[discriminator] === selected
  checkMembers(children, { ...inside, stored: isSame ? stored : null, moment: isSame ? look.moment : 'onCreate' })
}
