import type { Answer } from '../list-service/http-client.ts'
import type { Operation } from './history.ts'

/** The form in which a list is stored: an array in its row, or the rows of a join table. */
export type ListForm = 'items' | 'members'

export interface NumberedList {
  readonly id: number
  readonly form: ListForm
}

/** A list in a document. */
export interface ListRead {
  readonly list: number
  readonly elements: readonly number[]
  readonly version: string
}

interface Resource {
  readonly type: string
  readonly id: string
  readonly attributes: { readonly items: readonly number[] }
  readonly relationships: { readonly members: { readonly data: readonly Member[] } }
  readonly meta: { readonly version: string }
}

interface Member {
  readonly id: string
  readonly meta: { readonly pivot: { readonly order: number } }
}

type Lists = ReadonlyMap<number, NumberedList>

/** Returns the lists of a document, in primary data, included resources and results of operations. */
export function listsIn({ body }: Answer, lists: Lists): ListRead[] {
  const resources: (Resource | null | undefined)[] = [
    ...[body?.data].flat(),
    ...(body?.included ?? []),
    ...(body?.['atomic:results'] ?? []).map(({ data }: { data?: Resource }) => data),
  ]
  const read = resources.flatMap((resource) => {
    const list = resource?.type === 'lists' && lists.get(Number(resource.id))
    return resource && list ? [toRead(resource, list)] : []
  })
  // An operation that is followed by another one on the same list may show the state after either.
  return [...new Map(read.map((each) => [each.list, each])).values()]
}

function toRead({ attributes, relationships, meta }: Resource, { id, form }: NumberedList): ListRead {
  const members = relationships.members.data.toSorted((a, b) => a.meta.pivot.order - b.meta.pivot.order)
  const elements = form === 'items' ? attributes.items : members.map((member) => Number(member.id))
  return { list: id, elements, version: meta.version }
}

export function toReads(read: readonly ListRead[]): Operation[] {
  return read.map(({ list, elements }) => ({ kind: 'read', list, elements }))
}

export interface Append {
  readonly list: NumberedList
  readonly element: number
  /** The read whose version the write requires. */
  readonly required?: ListRead
  /** Whether the whole array is sent, instead of the element: a write by one statement. */
  readonly replaces?: boolean
}

/** Returns the operations of a batch that append the element. */
export function appendOperations({ list, element, required, replaces }: Append): object[] {
  if (list.form === 'items') {
    const attributes = replaces && required ? { items: [...required.elements, element] } : { append: element }
    return [updateOperation(list, attributes, required)]
  }
  const member = { type: 'numbers', id: String(element) }
  const ref = { type: 'lists', id: String(list.id), relationship: 'members' }
  return [
    { op: 'add', data: member },
    { op: 'add', ref, data: [member] },
  ]
}

/** Without attributes it changes nothing, and locks the list and compares its version. */
export function updateOperation({ id }: { id: number }, attributes: object, required?: ListRead): object {
  const meta = required && { meta: { version: required.version } }
  return { op: 'update', data: { type: 'lists', id: String(id), attributes, ...meta } }
}
