import { escapePointer, isObject, isWritable, phrase } from '#kernel'
import { checkComparisons } from './compare.ts'
import { type Look, pointerTo, sentValue, tell } from './look.ts'
import type { Member } from './member.ts'
import type { Rules } from './rules.ts'
import { flawsIn } from './schema.ts'
import { flawsOf, holds } from './value.ts'

/** Tells everything that is wrong with the members. Those that are read-only or hidden are passed over. */
export function checkMembers(members: readonly Member[], look: Look): void {
  const taken = members.filter(({ attribute }) => isWritable(attribute, look.operation))
  for (const member of taken) checkMember(member, sentValue(member, look), look)
  checkComparisons(taken, members, look)
}

function checkMember(member: Member, value: unknown, look: Look): void {
  const { name } = member.attribute
  const presence = presenceOf(member.rules, value, look)
  if (value === undefined) {
    if (isMissing(member, presence, look)) tell(look, look.place, phrase("'{name}' is required.", { name }))
    return
  }
  const pointer = pointerTo(member, look)
  if (value === null) {
    if (!presence.nullable) tell(look, pointer, phrase("'{name}' must not be null.", { name }))
    return
  }
  const ofKind = flawsIn(member.kind, value)
  const flaws = ofKind.length > 0 ? ofKind : flawsOf(member.rules, value, member, look)
  if (ofKind.length === 0 && presence.demanded.has(look.moment) && isEmpty(value)) {
    flaws.unshift({ path: [], message: phrase("'{name}' must not be empty.", { name }) })
  }
  if (flaws.length === 0 && member.column) flaws.push(...flawsIn(member.column, value))
  for (const { path, message } of flaws) {
    tell(look, pointer + path.map((step) => `/${escapePointer(String(step))}`).join(''), message)
  }
  if (ofKind.length === 0) checkChildren(member, value, pointer, look)
}

interface Presence {
  /** The moments at which the member may not be empty. */
  readonly demanded: Set<'onCreate' | 'onUpdate'>
  readonly asked: Set<Rules['required']>
  nullable: boolean
}

/** Rules inside a condition count while it holds. */
function presenceOf(rules: Rules, value: unknown, look: Look, found = noPresence()): Presence {
  const { required, nullable = false, parts = [] } = rules
  found.nullable ||= nullable
  if (required) found.asked.add(required)
  if (required && required !== 'onUpdate') found.demanded.add('onCreate')
  if (required && required !== 'onCreate') found.demanded.add('onUpdate')
  for (const part of parts) {
    if (part.kind === 'any' || !holds(part, value, look)) continue
    for (const inner of 'choices' in part ? part.choices : [part.rules]) presenceOf(inner, value, look, found)
  }
  return found
}

function noPresence(): Presence {
  return { demanded: new Set(), asked: new Set(), nullable: false }
}

/** What is stored need not be sent again; only `requiredOnUpdate` minds that nothing is stored. */
function isMissing({ attribute: { name, property } }: Member, { asked, demanded }: Presence, look: Look): boolean {
  if (look.moment === 'onCreate') return demanded.has('onCreate')
  return asked.has('onUpdate') && (look.stored?.[property ?? name] ?? null) === null
}

function isEmpty(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)
}

function checkChildren(member: Member, value: unknown, pointer: string, look: Look): void {
  const { kind, property, discriminator } = member.attribute
  if (!isObject(value)) return
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
    const constants = [...member.variants.keys()].join(', ')
    tell(look, at, phrase("'{member}' must be one of {constants}.", { member: discriminator, constants }))
    return
  }
  const isSame = stored !== null && stored[discriminator] === selected
  checkMembers(children, { ...inside, stored: isSame ? stored : null, moment: isSame ? look.moment : 'onCreate' })
}
