import { ref } from '@mikro-orm/core'
import { v4 } from 'uuid'
import type { HookContext } from '#plugins/lifecycle/index.ts'
import { User } from '#resources/users/entity.ts'
import { type Playlist, PlaylistTrack } from './entity.ts'

export class PlaylistNotEmptyError extends Error {
  override readonly name = 'PlaylistNotEmptyError'
}

/** Sets the external id and the owner of a new playlist, unless the client has sent them. */
export async function claim(playlist: Playlist, { context: { unit, principal } }: HookContext): Promise<void> {
  playlist.externalId ??= v4()
  if (playlist.owner || !principal) return
  const user = await unit.em.findOne(
    User,
    { email: principal.identifier },
    { fields: ['id'], disableIdentityMap: true },
  )
  if (user) playlist.owner = ref(User, user.id)
}

/** Prevents the deletion of a playlist that has tracks. */
export async function refuseWhileFilled(playlist: Playlist, { context: { unit } }: HookContext): Promise<void> {
  const members = await unit.em.count(PlaylistTrack, { playlist: playlist.id })
  if (members > 0) throw new PlaylistNotEmptyError(`${playlist.title} has ${members} tracks.`)
}
