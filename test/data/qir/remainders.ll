@0 = internal constant [4 x i8] c"0_t\00"
@1 = internal constant [6 x i8] c"1_t0i\00"
@2 = internal constant [6 x i8] c"2_t1b\00"

define i64 @ENTRYPOINT__main() #0 {
block_0:
  %var_0 = alloca i1
  %var_2 = alloca i64
  %var_3 = alloca i64
  %var_5 = alloca i1
  %var_21 = alloca i64
  call void @__quantum__rt__initialize(ptr null)
  store i1 false, ptr %var_0
  store i64 0, ptr %var_2
  store i64 1, ptr %var_3
  br label %block_1
block_1:
  %var_25 = load i64, ptr %var_3
  %var_4 = icmp sle i64 %var_25, 6
  store i1 true, ptr %var_5
  br i1 %var_4, label %block_2, label %block_3
block_2:
  %var_28 = load i1, ptr %var_5
  br i1 %var_28, label %block_4, label %block_5
block_3:
  store i1 false, ptr %var_5
  br label %block_2
block_4:
  %var_32 = load i64, ptr %var_3
  %var_6 = sitofp i64 %var_32 to double
  %var_7 = fmul double 0.5, %var_6
  %var_14 = call zeroext i1 @Step(ptr inttoptr (i64 0 to ptr), double %var_7)
  store i1 %var_14, ptr %var_0
  %var_34 = load i1, ptr %var_0
  br i1 %var_34, label %block_6, label %block_7
block_5:
  %var_29 = load i64, ptr %var_2
  %var_19 = srem i64 %var_29, 2
  %var_20 = icmp eq i64 %var_19, 0
  store i64 %var_29, ptr %var_21
  call void @__quantum__rt__tuple_record_output(i64 2, ptr @0)
  %var_31 = load i64, ptr %var_21
  call void @__quantum__rt__int_record_output(i64 %var_31, ptr @1)
  call void @__quantum__rt__bool_record_output(i1 zeroext %var_20, ptr @2)
  ret i64 0
block_6:
  %var_39 = load i64, ptr %var_3
  %var_15 = mul i64 2, %var_39
  %var_40 = load i64, ptr %var_2
  %var_16 = add i64 %var_40, %var_15
  store i64 %var_16, ptr %var_2
  br label %block_8
block_7:
  %var_35 = load i64, ptr %var_2
  %var_17 = sub i64 %var_35, 1
  store i64 %var_17, ptr %var_2
  br label %block_8
block_8:
  %var_37 = load i64, ptr %var_3
  %var_18 = add i64 %var_37, 1
  store i64 %var_18, ptr %var_3
  br label %block_1
}

declare void @__quantum__rt__initialize(ptr)

define internal zeroext i1 @Step(ptr %var_8, double %var_9) {
block_9:
  call void @Ry(double %var_9, ptr %var_8)
  call void @__quantum__qis__mresetz__body(ptr %var_8, ptr inttoptr (i64 0 to ptr))
  %var_12 = call zeroext i1 @__quantum__rt__read_result(ptr inttoptr (i64 0 to ptr))
  ret i1 %var_12
}

define internal void @Ry(double %var_10, ptr %var_11) {
block_10:
  call void @__quantum__qis__ry__body(double %var_10, ptr %var_11)
  ret void
}

declare void @__quantum__qis__ry__body(double, ptr)

declare void @__quantum__qis__mresetz__body(ptr, ptr) #1

declare zeroext i1 @__quantum__rt__read_result(ptr) #2

declare void @__quantum__rt__tuple_record_output(i64, ptr)

declare void @__quantum__rt__int_record_output(i64, ptr)

declare void @__quantum__rt__bool_record_output(i1 zeroext, ptr)

attributes #0 = { "entry_point" "output_labeling_schema" "qir_profiles"="adaptive_profile" "required_num_qubits"="1" "required_num_results"="1" }
attributes #1 = { "irreversible" }
attributes #2 = { nofree nosync nounwind willreturn memory(argmem: read) }

; module flags

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9}

!0 = !{i32 1, !"qir_major_version", i32 2}
!1 = !{i32 7, !"qir_minor_version", i32 1}
!2 = !{i32 1, !"dynamic_qubit_management", i1 false}
!3 = !{i32 1, !"dynamic_result_management", i1 false}
!4 = !{i32 5, !"int_computations", !{!"i64"}}
!5 = !{i32 5, !"float_computations", !{!"double"}}
!6 = !{i32 7, !"backwards_branching", i2 3}
!7 = !{i32 1, !"arrays", i1 true}
!8 = !{i32 1, !"ir_functions", i1 true}
!9 = !{i32 1, !"writable_results", i1 true}
