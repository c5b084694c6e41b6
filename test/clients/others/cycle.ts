/** What every client brings about, whatever words it has for it. */
export interface Cycle {
  readonly listed: readonly string[]
  /** Titles by page; the second page is where the first says it is. */
  readonly pages: readonly (readonly string[])[]
  readonly included: { readonly artist: string; readonly tracks: readonly string[] }
  readonly created: { readonly title: string; readonly status: string; readonly artist: string }
  readonly updated: string
  /** The id of the other artist. */
  readonly replaced: string
  /** The tracks of the album after each change. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly emptied: readonly string[]
  readonly isDeleted: boolean
  /** What was wrong with an album without a title and of no known status. */
  readonly faults: readonly string[]
}

/** The same for all of them, on the demo data. */
export const expected: Cycle = {
  listed: ['Dummy', 'OK Computer'],
  pages: [['Dummy'], ['OK Computer']],
  included: { artist: 'Radiohead', tracks: ['Airbag', 'Paranoid Android', 'Exit Music (For a Film)'] },
  created: { title: 'Third', status: 'upcoming', artist: '2' },
  updated: 'released',
  replaced: '1',
  added: ['3', '4'],
  removed: ['3'],
  emptied: [],
  isDeleted: true,
  faults: ['/data/attributes/title', '/data/attributes/status'],
}
