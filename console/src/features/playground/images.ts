/** Image files → data URLs for a request; rejects files that are too large or not images. */
import { bytes } from '@/lib/format'
import type { MessageImage } from './conversation.ts'

export const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
/** Base64 of all images must fit into a request of 32 MiB. */
const imageBytesMax = 5 * 1024 * 1024
const imagesMax = 4

export interface ReadImages {
  readonly images: readonly MessageImage[]
  /** A sentence per rejected file. */
  readonly problems: readonly string[]
}

export async function readImages(
  files: readonly File[],
  before: readonly MessageImage[],
): Promise<ReadImages> {
  const room = imagesMax - before.length
  const problems = files.flatMap((file) => {
    if (!imageTypes.includes(file.type)) return [`${file.name} is not a PNG, JPEG, WebP or GIF image.`]
    if (file.size > imageBytesMax) return [`${file.name} is larger than ${bytes(imageBytesMax)}.`]
    return []
  })
  const good = files.filter((file) => imageTypes.includes(file.type) && file.size <= imageBytesMax)
  if (good.length > room) problems.push(`A message can have at most ${imagesMax} images.`)
  return { images: await Promise.all(good.slice(0, Math.max(0, room)).map(readImage)), problems }
}

function readImage(file: File): Promise<MessageImage> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve({ name: file.name, url: String(reader.result) }))
    reader.addEventListener('error', () => reject(new Error(`${file.name} can't be read`)))
    reader.readAsDataURL(file)
  })
}
