import { createAlbumList } from './album-list.ts'
import { createCreateDialog } from './create-dialog.ts'
import { createEditDialog } from './edit-dialog.ts'
import { announce, find } from './elements.ts'
import { describeError } from './problems.ts'

const albums = createAlbumList((id) => editDialog.open(id).catch((error) => announce(describeError(error))))
const editDialog = createEditDialog(albums.reload)
const createDialog = createCreateDialog(albums.reload)

find('#new-album', HTMLButtonElement).addEventListener('click', createDialog.open)
await albums.reload()
