/** A rectangle: on a page in points, upwards and to the right, or in pixels of its picture, downwards. */
export interface Area {
  left: number;
  right: number;
  bottom: number;
  top: number;
}
