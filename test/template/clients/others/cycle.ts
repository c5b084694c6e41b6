/** The results that every client must produce. */
export interface Cycle {
  readonly listed: readonly string[]
  /** Titles by page; the second page comes from the link of the first. */
  readonly pages: readonly (readonly string[])[]
  readonly included: { readonly artist: string; readonly tracks: readonly string[] }
  readonly created: { readonly title: string; readonly status: string; readonly artist: string }
  readonly updated: string
  /** The id of the new artist. */
  readonly replaced: string
  /** The tracks of the album after each change. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly emptied: readonly string[]
  readonly isDeleted: boolean
  /** The faults of an album without a title and with an unknown status. */
  readonly faults: readonly string[]
}

/** The results on the demo data. */
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
