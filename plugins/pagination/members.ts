import { acceptedNames, phrase, queryParamUnrecognized } from '#kernel/errors'
import type { Query } from '#kernel/plugin'
import { isMap, type Paginator, type ParamValue } from '#kernel/queries'
import { isMenu } from './menu.ts'

/**
 * Rejects members of `page` that the selected strategy does not have; all of them if there is none. Accepts all members if
 * the paginator does not describe its members.
 */
export function refuseUnknownMembers(
  page: ParamValue | undefined,
  selected: Paginator | null,
  declared: Paginator | null,
  { faults }: Query,
): void {
  if (!isMap(page) || (selected && !selected.description)) return
  const members = Object.keys(selected?.description?.parameters ?? {})
  const accepted = isMenu(declared) ? ['kind', ...members] : members
  for (const name in page) {
    if (accepted.includes(name)) continue
    const parameter = `page[${name}]`
    const hint = phrase('Accepted: {accepted}', { accepted: acceptedNames(accepted, name) })
    faults.push(queryParamUnrecognized({ parameter, hint }, { source: { parameter } }))
  }
}
