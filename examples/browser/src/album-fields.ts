import type { Album } from './api.ts'
import { create, find } from './elements.ts'

/** The attributes that the page edits. */
export type AlbumFields = Pick<Album, 'title' | 'status' | 'availableFrom' | 'explicit'>
export type FieldName = keyof AlbumFields

export const statuses = ['upcoming', 'released', 'withdrawn'] as const satisfies readonly Album['status'][]

export const labels: Readonly<Record<FieldName, string>> = {
  title: 'Title',
  status: 'Status',
  availableFrom: 'Available from',
  explicit: 'Explicit',
}
export const fieldNames = Object.keys(labels) as readonly FieldName[]

/** The text of a value for the user. */
export function toText(value: AlbumFields[FieldName]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value ?? 'none'
}

export function readFields(form: HTMLFormElement): AlbumFields {
  const data = new FormData(form)
  return {
    title: String(data.get('title')),
    status: statuses.find((status) => status === data.get('status')) ?? 'released',
    availableFrom: String(data.get('availableFrom')) || null,
    explicit: data.has('explicit'),
  }
}

export function writeFields(form: HTMLFormElement, { title, status, availableFrom, explicit }: AlbumFields): void {
  const select = find('[name=status]', HTMLSelectElement, form)
  select.replaceChildren(...statuses.map((value) => create('option', { value }, value)))
  select.value = status
  find('[name=title]', HTMLInputElement, form).value = title
  find('[name=availableFrom]', HTMLInputElement, form).value = availableFrom ?? ''
  find('[name=explicit]', HTMLInputElement, form).checked = explicit
}

/** The fields of `changed` whose value is not that of `base`. */
export function changedFields(base: AlbumFields, changed: AlbumFields): Partial<AlbumFields> {
  const names = fieldNames.filter((name) => base[name] !== changed[name])
  return Object.fromEntries(names.map((name) => [name, changed[name]]))
}
