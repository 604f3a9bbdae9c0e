// A small renderer of rigid bodies: light from the sky and a sun with soft shadows, a ground with a grid, arrows, balls.
// Everything is drawn by WebGL 2; no library is needed, so that one file plays without a network.
"use strict";
const Mat = {
  multiply(a, b) {
    const out = new Float32Array(16);
    for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + r] * b[4 * c + k];
      out[4 * c + r] = sum;
    }
    return out;
  },
  pose(p, q) { // position, quaternion w x y z
    const [w, x, y, z] = q;
    return new Float32Array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
      2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
      2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, p[0], p[1], p[2], 1]);
  },
  perspective(fov, aspect, near, far) {
    const f = 1 / Math.tan(fov / 2);
    return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
  },
  ortho(size, depth) {
    return new Float32Array([1 / size, 0, 0, 0, 0, 1 / size, 0, 0, 0, 0, -2 / depth, 0, 0, 0, -1, 1]);
  },
  look(eye, at) {
    const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    const unit = (a) => { const n = Math.hypot(...a) || 1; return a.map((v) => v / n); };
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const z = unit(sub(eye, at)), x = unit(cross([0, 0, 1], z)), y = cross(z, x);
    return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
  },
};

const COMMON = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
uniform vec3 eye; uniform sampler2DShadow shadowMap; uniform vec3 sun;
const vec3 HORIZON = vec3(0.90, 0.922, 0.95);
float shaded(vec4 at) {
  vec3 p = at.xyz / at.w * 0.5 + 0.5;
  if (p.z > 1.0 || any(lessThan(p.xy, vec2(0.0))) || any(greaterThan(p.xy, vec2(1.0)))) return 1.0;
  float sum = 0.0; vec2 texel = 0.9 / vec2(textureSize(shadowMap, 0));
  for (int i = -1; i <= 1; i += 2) sum += texture(shadowMap, vec3(p.xy + vec2(i, -i) * texel, p.z));
  vec2 edge = smoothstep(vec2(0.5), vec2(0.42), abs(p.xy - 0.5));
  return mix(1.0, sum / 2.0, edge.x * edge.y);
}
vec3 haze(vec3 color, float far) { return mix(color, HORIZON, 1.0 - exp(-pow(far / 26.0, 2.0))); }
`;
const MESH_VERTEX = `#version 300 es
in vec3 position; in vec3 normal; uniform mat4 model, camera, light; uniform float unit; uniform vec3 base;
out vec3 place, facing; out vec4 lit;
void main() {
  vec4 world = model * vec4(position * unit + base, 1.0);
  place = world.xyz; facing = mat3(model) * normal; lit = light * (world + vec4(facing * 0.006, 0.0));
  gl_Position = camera * world;
}`;
const MESH_FRAGMENT = COMMON + `
in vec3 place, facing; in vec4 lit; uniform vec4 color; out vec4 result;
void main() {
  vec3 n = normalize(facing), v = normalize(eye - place);
  if (dot(n, v) < 0.0) n = -n;
  float bright = max(dot(n, sun), 0.0) * shaded(lit);
  vec3 ambient = mix(vec3(0.40, 0.41, 0.44), vec3(0.66, 0.68, 0.72), n.z * 0.5 + 0.5);
  float gloss = pow(max(dot(normalize(sun + v), n), 0.0), 48.0) * bright;
  float rim = pow(1.0 - max(dot(n, v), 0.0), 4.0);
  vec3 c = pow(color.rgb, vec3(1.6));
  c = c * (ambient * 0.92 + vec3(0.78, 0.75, 0.70) * bright) + gloss * 0.16 + rim * 0.05;
  result = vec4(haze(pow(clamp(c, 0.0, 1.0), vec3(1.0 / 1.6)), distance(eye, place)), color.a);
}`;
const GROUND_VERTEX = `#version 300 es
in vec2 position; uniform mat4 camera, light; uniform vec3 center; out vec3 place; out vec4 lit;
void main() { vec4 world = vec4(center + vec3(position * 60.0, 0.0), 1.0); place = world.xyz; lit = light * world; gl_Position = camera * world; }`;
const GROUND_FRAGMENT = COMMON + `
in vec3 place; in vec4 lit; out vec4 result;
float lines(float cell, float wide) {
  vec2 at = place.xy / cell, d = fwidth(at), g = abs(fract(at - 0.5) - 0.5) / d;
  return (1.0 - clamp(min(g.x, g.y) / wide, 0.0, 1.0)) * clamp(1.0 - max(d.x, d.y) * 3.0, 0.0, 1.0);
}
void main() {
  float far = distance(eye.xy, place.xy);
  vec3 c = vec3(0.885, 0.895, 0.912);
  c = mix(c, vec3(0.77, 0.795, 0.83), 0.55 * lines(0.25, 1.0));
  c = mix(c, vec3(0.66, 0.70, 0.76), 0.75 * lines(1.0, 1.2));
  c *= mix(vec3(0.70, 0.73, 0.80), vec3(1.0), shaded(lit));
  result = vec4(haze(c, far), 1.0);
}`;
const SKY_VERTEX = `#version 300 es
in vec2 position; out vec2 at; void main() { at = position; gl_Position = vec4(position, 0.9999, 1.0); }`;
// From the haze at the horizon, which the ground ends in, to blue above: by the way in which each pixel looks.
const SKY_FRAGMENT = `#version 300 es
precision highp float; in vec2 at; uniform vec3 ahead, across, above; out vec4 result;
void main() { float h = max(normalize(ahead + at.x * across + at.y * above).z, 0.0);
  result = vec4(mix(vec3(0.90, 0.922, 0.95), vec3(0.53, 0.68, 0.87), 1.0 - exp(-2.6 * h)), 1.0); }`;
// Edges are smoothed in the finished picture: a blend along the edge, found by the brightness around each pixel (after
// Lottes 2009, FXAA). Drawn by a processor this takes a third of what samples for each pixel take.
const SMOOTH_FRAGMENT = `#version 300 es
precision highp float; uniform sampler2D picture; uniform vec2 pixel; in vec2 at; out vec4 result;
float bright(vec3 c) { return dot(c, vec3(0.299, 0.587, 0.114)); }
vec3 seen(vec2 p) { return textureLod(picture, p, 0.0).rgb; }
void main() {
  vec2 p = at * 0.5 + 0.5; vec3 here = seen(p);
  float m = bright(here), nw = bright(seen(p + vec2(-pixel.x, pixel.y))), ne = bright(seen(p + pixel)), sw = bright(seen(p - pixel)), se = bright(seen(p + vec2(pixel.x, -pixel.y)));
  float low = min(m, min(min(nw, ne), min(sw, se))), high = max(m, max(max(nw, ne), max(sw, se)));
  if (high - low < max(0.03, 0.1 * high)) { result = vec4(here, 1.0); return; }
  vec2 way = vec2(sw + se - nw - ne, nw + sw - ne - se);
  float least = max((nw + ne + sw + se) * 0.03125, 0.0078125);
  way = clamp(way / (min(abs(way.x), abs(way.y)) + least), -8.0, 8.0) * pixel;
  vec3 near = 0.5 * (seen(p - way / 6.0) + seen(p + way / 6.0)), wide = 0.5 * near + 0.25 * (seen(p - 0.5 * way) + seen(p + 0.5 * way));
  float found = bright(wide);
  result = vec4(found < low || found > high ? near : wide, 1.0);
}`;
const SHADOW_FRAGMENT = `#version 300 es
precision mediump float; void main() {}`;

class Renderer {
  // inPicture: whether edges are smoothed in the picture, in place of by samples
  constructor(canvas, inPicture = false) {
    this.canvas = canvas;
    const gl = this.gl = canvas.getContext("webgl2", { antialias: !inPicture, preserveDrawingBuffer: true, alpha: false });
    if (!gl) throw new Error("this browser has no WebGL 2");
    this.mesh = this.program(MESH_VERTEX, MESH_FRAGMENT);
    this.shadow = this.program(MESH_VERTEX, SHADOW_FRAGMENT);
    this.ground = this.program(GROUND_VERTEX, GROUND_FRAGMENT);
    this.sky = this.program(SKY_VERTEX, SKY_FRAGMENT);
    this.quad = this.buffer(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    this.makeShadowMap(inPicture ? 1024 : 2048);
    this.smooth = inPicture ? this.program(SKY_VERTEX, SMOOTH_FRAGMENT) : null;
    this.screen = null; // where a picture is drawn that is smoothed afterwards
    this.sun = [0.48, -0.30, 0.82];
    this.height = 0;
    this.parts = [];
    this.ball = this.upload(...Renderer.ballMesh());
    this.arrow = this.upload(...Renderer.arrowMesh());
  }
  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "position");
    gl.bindAttribLocation(program, 1, "normal");
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const places = {};
    for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k++) {
      const name = gl.getActiveUniform(program, k).name;
      places[name] = gl.getUniformLocation(program, name);
    }
    return { program, places };
  }
  buffer(target, data) {
    const gl = this.gl, buffer = gl.createBuffer();
    gl.bindBuffer(target, buffer);
    gl.bufferData(target, data, gl.STATIC_DRAW);
    return buffer;
  }
  makeShadowMap(size) {
    const gl = this.gl;
    this.shadowSize = size;
    this.depth = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.depth);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT24, size, size, 0, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, null);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL]]) {
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    }
    this.frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depth, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
  makeScreen(width, height) {
    const gl = this.gl, texture = gl.createTexture(), depth = gl.createRenderbuffer(), frame = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, name, value);
    gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
    return { texture, frame, width, height };
  }
  // Vertices as floats, or as whole numbers in units from a base; indices; normals are those of the faces around.
  upload(vertices, triangles, unit = 1, base = [0, 0, 0]) {
    const gl = this.gl, vao = gl.createVertexArray(), normals = Renderer.normalsOf(vertices, triangles);
    gl.bindVertexArray(vao);
    this.buffer(gl.ARRAY_BUFFER, vertices);
    gl.enableVertexAttribArray(0);
    const kind = vertices instanceof Float32Array ? gl.FLOAT : gl.UNSIGNED_SHORT;
    gl.vertexAttribPointer(0, 3, kind, false, 0, 0);
    this.buffer(gl.ARRAY_BUFFER, normals);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 0, 0);
    this.buffer(gl.ELEMENT_ARRAY_BUFFER, triangles);
    gl.bindVertexArray(null);
    return { vao, count: triangles.length, kind: triangles instanceof Uint32Array ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT, unit, base };
  }
  static normalsOf(vertices, triangles) {
    const out = new Float32Array(vertices.length);
    for (let k = 0; k < triangles.length; k += 3) {
      const [a, b, c] = [3 * triangles[k], 3 * triangles[k + 1], 3 * triangles[k + 2]];
      const u = [0, 1, 2].map((i) => vertices[b + i] - vertices[a + i]), v = [0, 1, 2].map((i) => vertices[c + i] - vertices[a + i]);
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      for (const at of [a, b, c]) for (let i = 0; i < 3; i++) out[at + i] += n[i];
    }
    for (let k = 0; k < out.length; k += 3) {
      const n = Math.hypot(out[k], out[k + 1], out[k + 2]) || 1;
      for (let i = 0; i < 3; i++) out[k + i] /= n;
    }
    return out;
  }
  static ballMesh() {
    const rings = 12, sides = 18, vertices = [], triangles = [];
    for (let i = 0; i <= rings; i++) for (let j = 0; j < sides; j++) {
      const a = Math.PI * i / rings, b = 2 * Math.PI * j / sides;
      vertices.push(Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a));
    }
    for (let i = 0; i < rings; i++) for (let j = 0; j < sides; j++) {
      const p = i * sides + j, q = i * sides + (j + 1) % sides;
      triangles.push(p, p + sides, q, q, p + sides, q + sides);
    }
    return [new Float32Array(vertices), new Uint16Array(triangles)];
  }
  static arrowMesh() { // along z, one long; the head takes a fifth
    const profile = [[0, 0], [0.014, 0], [0.014, 0.85], [0.03, 0.85], [0, 1]], sides = 14, vertices = [], triangles = [];
    for (let k = 0; k + 1 < profile.length; k++) {
      const first = vertices.length / 3;
      for (const [r, z] of [profile[k], profile[k + 1]]) for (let j = 0; j < sides; j++) {
        const b = 2 * Math.PI * j / sides;
        vertices.push(r * Math.cos(b), r * Math.sin(b), z);
      }
      for (let j = 0; j < sides; j++) {
        const p = first + j, q = first + (j + 1) % sides;
        triangles.push(p, q, p + sides, q, q + sides, p + sides);
      }
    }
    return [new Float32Array(vertices), new Uint16Array(triangles)];
  }
  static arrowPose(at, along, thick) { // matrix that puts the unit arrow from a place along a vector
    const n = Math.hypot(...along) || 1e-9, z = along.map((v) => v / n);
    const help = Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
    let x = [help[1] * z[2] - help[2] * z[1], help[2] * z[0] - help[0] * z[2], help[0] * z[1] - help[1] * z[0]];
    const m = Math.hypot(...x); x = x.map((v) => v / m);
    const y = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]];
    return new Float32Array([...x.map((v) => v * thick), 0, ...y.map((v) => v * thick), 0, ...along, 0, ...at, 1]);
  }
  // items: {mesh, pose: matrix, color: [r, g, b, a], shadow}
  draw(items, eye, focus, fov) {
    const gl = this.gl, { width, height } = this.canvas;
    const camera = Mat.multiply(Mat.perspective(fov, width / height, 0.05, 120), Mat.look(eye, focus));
    const from = focus.map((v, i) => v + 8 * this.sun[i]);
    const light = Mat.multiply(Mat.ortho(3.2, 16), Mat.look(from, focus));
    gl.enable(gl.DEPTH_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.viewport(0, 0, this.shadowSize, this.shadowSize);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1.5, 3);
    gl.useProgram(this.shadow.program);
    gl.uniformMatrix4fv(this.shadow.places.camera, false, light);
    for (const each of items) if (each.shadow !== false) this.drawMesh(this.shadow.places, each);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (this.smooth && !(this.screen && this.screen.width === width && this.screen.height === height)) this.screen = this.makeScreen(width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.screen && this.screen.frame);
    gl.viewport(0, 0, width, height);
    gl.clear(gl.DEPTH_BUFFER_BIT | gl.COLOR_BUFFER_BIT);
    gl.depthMask(false);
    gl.useProgram(this.sky.program);
    const view = Mat.look(eye, focus), high = Math.tan(fov / 2), wide = high * width / height, row = (k, size) => [view[k] * size, view[4 + k] * size, view[8 + k] * size];
    gl.uniform3fv(this.sky.places.ahead, row(2, -1));
    gl.uniform3fv(this.sky.places.across, row(0, wide));
    gl.uniform3fv(this.sky.places.above, row(1, high));
    this.drawQuad();
    gl.depthMask(true);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.depth);
    for (const each of [this.ground, this.mesh]) {
      gl.useProgram(each.program);
      gl.uniformMatrix4fv(each.places.camera, false, camera);
      gl.uniformMatrix4fv(each.places.light, false, light);
      gl.uniform3fv(each.places.eye, eye);
      if (each.places.sun) gl.uniform3fv(each.places.sun, this.sun);
      gl.uniform1i(each.places.shadowMap, 0);
    }
    gl.useProgram(this.ground.program);
    gl.uniform3f(this.ground.places.center, Math.round(focus[0]), Math.round(focus[1]), this.height);
    this.drawQuad();
    gl.useProgram(this.mesh.program);
    gl.enable(gl.CULL_FACE); // what looks away is hidden anyway
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    for (const solid of [true, false]) for (const each of items) if ((each.color[3] >= 1) === solid) {
      gl.uniform4fv(this.mesh.places.color, each.color);
      this.drawMesh(this.mesh.places, each);
    }
    gl.disable(gl.BLEND);
    gl.disable(gl.CULL_FACE);
    if (this.smooth) this.smoothPicture(width, height);
  }
  smoothPicture(width, height) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.DEPTH_TEST);
    gl.bindTexture(gl.TEXTURE_2D, this.screen.texture);
    gl.useProgram(this.smooth.program);
    gl.uniform1i(this.smooth.places.picture, 0);
    gl.uniform2f(this.smooth.places.pixel, 1 / width, 1 / height);
    this.drawQuad();
  }
  drawQuad() {
    const gl = this.gl;
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.quad);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.disableVertexAttribArray(1);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
  drawMesh(places, { mesh, pose }) {
    const gl = this.gl;
    gl.uniformMatrix4fv(places.model, false, pose);
    gl.uniform1f(places.unit, mesh.unit);
    gl.uniform3fv(places.base, mesh.base);
    gl.bindVertexArray(mesh.vao);
    gl.drawElements(gl.TRIANGLES, mesh.count, mesh.kind, 0);
  }
}
