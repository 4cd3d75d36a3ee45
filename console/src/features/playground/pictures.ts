/** Image files → data URLs for a request; rejects files that are too large or not images. */
import { bytes } from '@/lib/format'
import type { Picture } from './conversation.ts'

export const pictureTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
/** As base64, all of them must fit into a request of 32 MiB. */
const pictureBytesMax = 5 * 1024 * 1024
const picturesMax = 4

export interface PicturesRead {
  readonly pictures: readonly Picture[]
  /** One sentence per rejected file. */
  readonly problems: readonly string[]
}

export async function readPictures(
  files: readonly File[],
  before: readonly Picture[],
): Promise<PicturesRead> {
  const room = picturesMax - before.length
  const problems = files.flatMap((file) => {
    if (!pictureTypes.includes(file.type)) return [`${file.name} is not a PNG, JPEG, WebP or GIF image.`]
    if (file.size > pictureBytesMax) return [`${file.name} is larger than ${bytes(pictureBytesMax)}.`]
    return []
  })
  const good = files.filter((file) => pictureTypes.includes(file.type) && file.size <= pictureBytesMax)
  if (good.length > room) problems.push(`A message can have at most ${picturesMax} images.`)
  return { pictures: await Promise.all(good.slice(0, Math.max(0, room)).map(readPicture)), problems }
}

function readPicture(file: File): Promise<Picture> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve({ name: file.name, url: String(reader.result) }))
    reader.addEventListener('error', () => reject(new Error(`${file.name} can't be read`)))
    reader.readAsDataURL(file)
  })
}
