// Functions only: complex numbers as vectors of their real and their imaginary part.

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

fn exchange_if(a: ptr<function, vec2<f32>>, b: ptr<function, vec2<f32>>, does: bool) {
  let before = *a;
  *a = select(before, *b, does);
  *b = select(*b, before, does);
}
